-- A card house of two storeys stands.
--
-- Shows: a structure that friction alone holds up. The cards meet in small faces, as if their edges
-- were worn. Try --param friction=0.1: it slides apart.
-- Reference: it stands; the top stays where it is and nothing moves.

title "card house"
local t, lean, b, width = 0.002, math.rad(15), 0.022, 0.06
local mu = param("friction", 0.5)
material{name = "card", density = 800, friction = mu}
floor{material = "card"}
local s, slope = t / math.cos(lean), math.tan(lean)
-- height of a storey, where the inner faces of two cards meet and half a thickness above
local meet = b / slope
local H = meet + 0.5 * s / slope
local function card(name, x, z, side)
    local points = {}
    local profile = {{-b - s, 0}, {-b, 0}, {0, meet}, {0, H}, {-0.5 * s, H}}
    for _, p in ipairs(profile) do
        for _, y in ipairs{-width / 2, width / 2} do
            points[#points + 1] = {side * p[1] - side * -b / 2, y, p[2] - H / 2}
        end
    end
    body{name = name, position = {x + side * -b / 2, 0, z + H / 2},
         shape = shape.hull{points = points, material = "card"}}
end
local function pair(name, x, z)
    card(name .. "-left", x, z, 1)
    card(name .. "-right", x, z, -1)
end
local d = b + s + 0.004
pair("a", -d, 0)
pair("b", d, 0)
body{name = "deck", position = {0, 0, H + t / 2},
     shape = shape.box{size = {4 * d, width, t}, material = "card"}}
pair("c", 0, H + t)
scheme "koziara"
solver "prox-newton" {tolerance = 1e-12}
run{step = 1e-3, duration = 2, short_duration = 0.3}
output{every = 20}
history{quantity = "position", body = "deck", component = "z"}
history{quantity = "kinetic"}

check{name = "the top stays", quantity = "position", body = "c-left", component = "z", value =
      H + t + H / 2, tolerance = 1e-8, source = "rest"}
check{name = "nothing moves", quantity = "kinetic", reduction = "most", value = 0,
      tolerance = 1e-12, source = "rest"}
check{name = "nothing moves in the short version", quantity = "kinetic", reduction = "most",
      at = 0.3, value = 0, tolerance = 1e-12, source = "rest"}
