-- A wall of n courses of m units in running bond, half units at the ends of every second course, a slab on top with 30 kN, a stop at the
-- left foot: WALL1 to WALL3 of Koziara's study of Newton methods (2008, section 13.3) with 10 x 5, 17 x 9 and 25 x 13.
title "WALL of the study of Newton methods"
local n, m, l, w, h = param("n", 10), param("m", 5), 0.2, 0.2, 0.1
contacts{rule = "centroid"}
gravity{0, 0, -10}
material{name = "stone", density = 2200, friction = param("friction", 0.5)}
body{name = "base", kind = "fixed", material = "stone", position = {m * l / 2, 0, -0.25}, shape = shape.box{size = {m * l + 2, 1, 0.5}}}
body{name = "stop", kind = "fixed", material = "stone", position = {-0.05, 0, 0.05}, shape = shape.box{size = {0.1, 0.2, 0.09}}}
local function lay(x, course, part)
    body{material = "stone", kind = "pseudo_rigid", young = 15.5e9, poisson = 0.2, position = {x, 0, (course - 0.5) * h},
         shape = shape.box{size = {part * l, w, h}}}
end
for course = 1, n do
    if course % 2 == 1 then
        for i = 1, m do lay((i - 0.5) * l, course, 1) end
    else
        lay(0.25 * l, course, 0.5)
        for i = 1, m - 1 do lay(i * l, course, 1) end
        lay((m - 0.25) * l, course, 0.5)
    end
end
body{name = "slab", material = "stone", kind = "pseudo_rigid", young = 15.5e9, poisson = 0.2, force = {0, 0, -30e3},
     position = {m * l / 2, 0, n * h + 0.1}, shape = shape.box{size = {m * l, 0.2, 0.2}}}
scheme "quasi-static" {iterations = 1, damping = 4, displacement = 1e-3, reach = 0}
solver "prox-newton" {tolerance = 1e-10}
run{step = 1, duration = param("increments", 1), policy = "continue"}
