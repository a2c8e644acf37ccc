-- Balls fall through a funnel that shakes.
--
-- Shows: many bodies among obstacles that move as one rigid body; every step has a solution, since
-- the motion of the obstacle itself keeps all contacts from closing (Acary and Cadoux 2013, 4.4).
-- Reference: no step is left unsolved; the lowest ball ends on the floor, at one radius.

title "funnel"
local r = 0.05
material{name = "glass", density = 2500, friction = 0.3}
floor{height = -1, material = "glass"}
local walls, slope = {}, math.pi / 4
for k = 0, 3 do
    local turn = k * math.pi / 2
    -- an inclined plate, turned about z to its side
    local c, s = math.cos(turn / 2), math.sin(turn / 2)
    local ct, st = math.cos(slope / 2), math.sin(slope / 2)
    walls[#walls + 1] = shape.box{size = {1, 1.6, 0.05}, material = "glass",
        position = {0.5 * math.cos(turn), 0.5 * math.sin(turn), 0.3},
        orientation = {c * ct, s * st, -c * st, s * ct}}
end
body{name = "funnel", kind = "prescribed", shape = walls,
     displacement = {signal.wave{amplitude = 0.02, frequency = 30}, 0, 0}}
local balls = pile{count = param("count", 45), columns = 3, spacing = 0.13, position = {0, 0, 0.7},
     shape = shape.sphere{radius = r, material = "glass"}, name = "ball", jitter = 0.05,
     turn = false}
solver "nsgs" {tolerance = 1e-8}
run{step = 2e-3, duration = 3, short_duration = 0.8}
output{every = 5}
history{quantity = "position", body = "ball-5", component = "z"}
history{quantity = "contacts"}

check{name = "unsolved steps", quantity = "unsolved", value = 0, tolerance = 0,
      source = "Acary and Cadoux 2013, 4.4: condition A holds"}
check{name = "a ball of the first layer lies on the floor", quantity = "position", body = "ball-5",
      component = "z", value = -1 + r, tolerance = 0.01, source = "radius above the floor"}
check{name = "unsolved steps of the short version", quantity = "unsolved", at = 0.8, value = 0,
      tolerance = 0, source = "as above"}
