-- Functions, tables, sorting and strings; the argument is how often.
local function fib(n)
	if n < 2 then return n end
	return fib(n - 1) + fib(n - 2)
end
local function queens(n)
	local columns, up, down, found = {}, {}, {}, 0
	local function put(row)
		if row > n then found = found + 1 return end
		for i = 1, n do
			if not columns[i] and not up[row + i] and not down[row - i + n] then
				columns[i], up[row + i], down[row - i + n] = true, true, true
				put(row + 1)
				columns[i], up[row + i], down[row - i + n] = nil, nil, nil
			end
		end
	end
	put(1)
	return found
end
local Point = {}
Point.__index = Point
function Point.new(x, y) return setmetatable({x = x, y = y}, Point) end
function Point:add(p) return Point.new(self.x + p.x, self.y + p.y) end

local numbers = {}
for i = 1, 20000 do numbers[i] = (i * 7919) % 100003 end
local sum = 0
for _ = 1, tonumber(arg[1]) do
	sum = sum + fib(22) + queens(6)
	local copy = {}
	for i = 1, #numbers do copy[i] = numbers[i] end
	table.sort(copy)
	local words = {}
	for i = 1, 3000 do words[#words + 1] = string.format("%d:%s", i, ("x"):rep(i % 7)) end
	local text = table.concat(words, ",")
	for w in text:gmatch("%d+") do sum = sum + #w end
	text:gsub("x+", function(m) return m:upper() end)
	local p = Point.new(0, 0)
	for i = 1, 20000 do p = p:add(Point.new(i, -i)) end
	sum = sum + p.x
end
print(sum)
