-- Nine bricks in a frame with clearance; the middle one is cracked and its halves are pushed apart.
--
-- Shows: lock-up of a structure that only contacts hold together, as in the box-kite tests of
-- graphite cores (Koziara's thesis 13.4.8, whose geometry is not public; this one is our own).
-- Reference: each half of the cracked brick moves by two clearances and locks. Friction on the floor
-- holds it where it is if it is more than the push, or may hold it together with its neighbour: try
-- --param friction=0.3, with --param force=2, 15 and 40.

title "cracked bricks in a frame"
local size, c, force = 0.2, param("clearance", 0.002), param("force", 2)
local friction, density = param("friction", 0), 1150
material{name = "brick", density = density, friction = friction}
floor{material = "brick"}
local pitch = size + c
for i = -1, 1 do
    for j = -1, 1 do
        if i ~= 0 or j ~= 0 then
            body{name = "brick" .. i .. j, position = {i * pitch, j * pitch, size / 4},
                 shape = shape.box{size = {size, size, size / 2}, material = "brick"}}
        end
    end
end
-- the crack runs at an angle through the middle brick
local lean = 0.25 * size
for name, side in pairs{left = -1, right = 1} do
    local points = {}
    for _, z in ipairs{-size / 4, size / 4} do
        for _, y in ipairs{-size / 2, size / 2} do
            points[#points + 1] = {side * size / 2, y, z}
            points[#points + 1] = {lean * 2 * y / size, y, z}
        end
    end
    body{name = name, position = {0, 0, size / 4}, force = {side * force, 0, 0},
         shape = shape.hull{points = points, material = "brick"}}
end
local inner = 1.5 * size + 2 * c
for _, side in ipairs{-1, 1} do
    body{kind = "fixed", position = {side * (inner + 0.05), 0, size / 4},
         shape = shape.box{size = {0.1, 2 * inner, size / 2}, material = "brick"}}
    body{kind = "fixed", position = {0, side * (inner + 0.05), size / 4},
         shape = shape.box{size = {2 * inner, 0.1, size / 2}, material = "brick"}}
end
solver "auto" {tolerance = 1e-9}
run{step = 1e-3, duration = 1}
output{every = 5}
history{quantity = "position", body = "left", component = "x"}
history{quantity = "position", body = "right", component = "x"}

-- masses of a half, and of a half and its neighbour; accelerations while they slide on the floor
local half, both = density * size * size * size / 4, density * size * size * size * 3 / 4
local alone, pushing = force / half - friction * 9.81, force / both - friction * 9.81
local way, tolerance, says = 2 * c, 0.1 * c, "locks after two clearances to the frame"
if alone <= 0 then
    way, says = 0, "is held by the friction of the floor"
elseif pushing <= 0 or math.sqrt(2 * c / alone) + math.sqrt(2 * c / pushing) > 1 then
    -- how far the impact moves the neighbour depends on restitution and friction
    way, tolerance, says = 1.5 * c, 0.6 * c, "reaches its neighbour, which floor and frame hold"
end
for name, side in pairs{left = -1, right = 1} do
    check{name = name .. " half " .. says, quantity = "position", body = name, component = "x",
          value = side * way, tolerance = tolerance, source = "balance of push and friction"}
end
