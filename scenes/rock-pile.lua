-- Rocks of random form fall into a heap.
--
-- Shows: convex hulls of random points, the helper pile{}, many contacts. --param count=500 makes a
-- larger one.
-- Reference: nothing is created from nothing: the energy never exceeds that of the start, no step
-- is left unsolved, the rocks come to rest on the floor.

title "rock pile"
local count = param("count", 27)
material{name = "rock", density = 2600, friction = 0.6}
floor{material = "rock"}
local function rock()
    local points = {}
    for i = 1, 14 do
        local z, a = 2 * math.random() - 1, 2 * math.pi * math.random()
        local s, r = math.sqrt(1 - z^2), 0.12 + 0.06 * math.random()
        points[i] = {r * s * math.cos(a), r * s * math.sin(a), r * z}
    end
    return shape.hull{points = points, material = "rock"}
end
pile{count = count, columns = 3, spacing = 0.4, position = {0, 0, 0.3}, shape = rock, name = "rock"}
solver "auto" {tolerance = 1e-8}
run{step = 2e-3, duration = 2.5, short_duration = 0.5, policy = "continue"}
output{every = 5}
history{quantity = "kinetic"}
history{quantity = "contacts"}
history{quantity = "energy"}

for _, t in ipairs{0.5, 2.5} do
    check{name = "unsolved steps", quantity = "unsolved", at = t, value = 0, tolerance = 0,
          source = "one obstacle at rest: a solution exists"}
end
check{name = "at rest", quantity = "kinetic", value = 0, tolerance = 1, source = "dissipation"}
