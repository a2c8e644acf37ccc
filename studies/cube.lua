-- A stack of n x n x n cubes on a floor under slanted gravity: CUBE1 to CUBE3 of Koziara's study of Newton methods
-- (2008, section 13.3) with n = 3, 5 and 7. One contact per pair of faces; inertia and masses scaled as there.
title "CUBE of the study of Newton methods"
local n, a = param("n", 3), 0.1
contacts{rule = "centroid"}
gravity{2, 2, -10}
material{name = "stone", density = 2200, friction = param("friction", 0.5)}
floor{material = "stone"}
for k = 1, n do for j = 1, n do for i = 1, n do
    body{material = "stone", kind = "pseudo_rigid", young = 15.5e9, poisson = 0.2,
         position = {(i - 0.5) * a, (j - 0.5) * a, (k - 0.5) * a}, shape = shape.box{size = {a, a, a}}}
end end end
scheme "quasi-static" {iterations = 1, damping = 4, displacement = 1e-3, reach = 0}
solver "prox-newton" {tolerance = 1e-10}
run{step = 1, duration = param("increments", 1), policy = "continue"}
