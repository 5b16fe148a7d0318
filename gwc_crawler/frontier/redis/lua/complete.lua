-- Marks pages C and enters their links in one step. Returns the places (from 1) of pages whose lease holds no more, and
-- the md5s of links whose text is missing here, which page brought which new URLs (see `take`), and the places of pages
-- whose links are not entered: the URL was redirected to one that is complete, or another's.
-- ARGS: owner; texts: blob; places: how many; aliases: blob of (md5 of an alias, md5 of what it names as canonical). The
-- rest: the places of the texts; then for each page four values: its DONE_ROW, md5s of the links that may be new, md5s of
-- all links (or '' where the assumed weight is 0), what is kept for looking at the page again (or '').

local PAGES_BEGIN = REST + tonumber(ARGS.places)
read_texts(ARGS.texts, REST)

local arrivals, refused, moved_on, finished = new_arrivals(), {}, {}, {}

local some_metas = call('HLEN', METAS) > 0

-- Keeps a page's links for the day its weight falls; they are known from now on.
local function hold(e, links)
  for at = 1, #links, 8 do
    local link = string.sub(links, at, at + 7)
    if given[link] then entry_for(link) end
  end
  call('HSET', HELD, e.md5, links)
end

-- A URL that only names the next is C; it hands on the weight it was reached with, also when that falls.
-- `chain`: URLs in the order of their redirects; `page`: one of them that is none (nil: all are); `last`: the chain's end.
local function finish_redirects(chain, page, last)
  local moved = {}
  for _, e in ipairs(chain) do
    if e ~= page then moved[#moved + 1] = e end
  end
  local weight
  for place, e in ipairs(moved) do
    weight = math.min(weight or e.weight, e.weight)
    if may_improve(weight, REDIRECT, e.depth) then hold(e, moved[place + 1] and moved[place + 1].md5 or last) end
    finish(e, REDIRECT, weight)
    call('HDEL', REVISITS, e.md5)
  end
end

local function finish_page(page, done, weight, depth)
  local own = (done.relevant or depth == 0) and 0 or weight + 1
  page.depth = math.min(page.depth, depth)
  if done.revisit ~= '' then call('HSET', REVISITS, page.md5, done.revisit) end
  if done.unread then  -- what it led to stands as it was, but its weight may have fallen
    page.weight = own
    if followed(own) then enter_held(arrivals, page) end
    if own == 0 then call('HDEL', HELD, page.md5) end
    finish(page, done.kind, own)
    return
  end
  if followed(own) then
    arrive_all(arrivals, own < done.assumed and done.all or done.news, own, depth + 1, page.md5)
  end
  if own > 0 and done.all ~= '' then hold(page, done.all) else call('HDEL', HELD, page.md5) end
  finish(page, done.kind, own)
end

local function complete(done, under, place)
  local weight, depth = best_of(under)
  local page, covered = under[1], true
  if done.page ~= done.leased then
    page = entry(done.page)
    if done.kind == REDIRECT or not cover(under[1], done.token, ARGS.owner, weight, depth, done.page) then covered = false end
  end
  if covered then
    weight, depth = math.min(weight, page.weight), math.min(depth, page.depth)
    finish_redirects(under, page, done.page)
    finish_page(page, done, weight, depth)
    finished[page.md5] = true
  else
    finish_redirects(under, nil, done.page)
    moved_on[#moved_on + 1] = place
    arrive(arrivals, done.page, weight, depth, done.leased)
  end
  forget_covers(done.token)
  if some_metas then call('HDEL', METAS, done.leased) end
end

for i = PAGES_BEGIN, #ARGV, 4 do
  local done, relevant, unread = {news = ARGV[i + 1], all = ARGV[i + 2], revisit = ARGV[i + 3]}, nil, nil
  done.leased, done.page, done.token, done.kind, relevant, unread, done.assumed = struct.unpack(DONE_ROW, ARGV[i])
  done.relevant, done.unread = relevant == 1, unread == 1
  local under = held_by(done.leased, done.token)
  local place = (i - PAGES_BEGIN) / 4 + 1
  if under then complete(done, under, place) else refused[#refused + 1] = place end
end
local _, unknown, brought = take(arrivals)
for at = 1, #ARGS.aliases, 16 do
  local alias, main = string.sub(ARGS.aliases, at, at + 7), string.sub(ARGS.aliases, at + 8, at + 15)
  if finished[alias] then
    call('HSETNX', ALIASES, main, alias)
    recall_alias(entry(main))
  end
end
flush()
return {refused, unknown, brought, moved_on}
