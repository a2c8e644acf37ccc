-- A dome of n rings of m blocks with an open eye on a base: DOME1 to DOME3 of Koziara's study of Newton methods (2008, section 13.3) with
-- 5 x 12, 10 x 22 and 15 x 32. The thesis states the inner radius, the thickness and the numbers of blocks and contacts; the eye is ours.
title "DOME of the study of Newton methods"
local n, m, R, thickness, eye = param("n", 5), param("m", 12), 10, 0.6, math.pi / 12
contacts{rule = "centroid"}
gravity{0, 0, -10}
material{name = "stone", density = 2200, friction = param("friction", 0.5)}
body{name = "base", kind = "fixed", material = "stone", position = {0, 0, -0.5}, shape = shape.box{size = {40, 40, 1}}}
for ring = 1, n do for s = 1, m do
    local points = {}
    for i = ring - 1, ring do for k = s - 1, s do
        local polar, turn = math.pi / 2 - (math.pi / 2 - eye) * i / n, 2 * math.pi * k / m
        for _, r in ipairs{R, R + thickness} do
            points[#points + 1] = {r * math.sin(polar) * math.cos(turn), r * math.sin(polar) * math.sin(turn), r * math.cos(polar)}
        end
    end end
    body{material = "stone", kind = "pseudo_rigid", young = 15.5e9, poisson = 0.2, shape = shape.hull{points = points}}
end end
scheme "quasi-static" {iterations = 1, damping = 4, displacement = 1e-3, reach = 0}
solver "prox-newton" {tolerance = 1e-10}
run{step = 1, duration = param("increments", 1), policy = "continue"}
