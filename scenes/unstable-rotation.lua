-- A body spins about its middle axis and was disturbed by a tiny kick.
--
-- Shows: rotation about the middle axis is unstable; a registered model instead of bodies. The
-- moments 5, 10, 1 are those of no body of matter, so that body{} would refuse them.
-- Reference: body rates after 8 s; the start is the exact state after the spin-up about the first
-- axis to 8 rad/s and the kick of 0.2 N m s across it (Koziara's thesis, 13.1.1).

title "unstable rotation"
local J = {5, 10, 1}
system "free-body" {J1 = J[1], J2 = J[2], J3 = J[3],
    omega1 = 8, omega2 = 0.2 * math.cos(8) / J[2], omega3 = -0.2 * math.sin(8) / J[3]}
scheme "koziara" {rotation = "new3"}
run{step = 1 / 1024, duration = 8}
output{every = 32}
for k = 4, 6 do history{quantity = "u", component = k} end

local source = "Koziara's thesis, 13.1.1; fourth-order integration from the exact state at t = 2"
for k, momentum in ipairs{39.995474772, 0.567998787, -0.281735986} do
    check{name = "body rate " .. k, quantity = "u", component = 3 + k, value = momentum / J[k],
          tolerance = 1.5e-4, source = source}
end
check{name = "kinetic energy", quantity = "kinetic", value = 160.019618935, tolerance = 1e-3,
      source = source}
