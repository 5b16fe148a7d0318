"""How servers are reached: names → addresses, and which are refused; HTTP/1.1 over kept connections; what lets one in.

`politeness` says how hard they may be pressed.
"""
