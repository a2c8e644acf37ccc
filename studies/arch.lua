-- A semicircular arch of straight-sided blocks with friction and cohesion, for the studies of limits.
title "arch of the studies"
local thickness = param("thickness", 1.5)
material{name = "stone", density = 2400, friction = param("friction", 0.4), cohesion = param("cohesion", 0)}
arch{radius = 10, thickness = thickness, width = 5, blocks = param("blocks", 15), material = "stone"}
scheme "koziara"
run{step = 1e-3, duration = 0.3}
