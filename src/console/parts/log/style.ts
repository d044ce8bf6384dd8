/** The colours and letters of a piece of a log, as a terminal has them. Colours are numbers from 0 to 15. */
type Style = { fore: number | null; back: number | null; bold: boolean; italic: boolean; under: boolean }

const plainStyle: Style = { fore: null, back: null, bold: false, italic: false, under: false }

/** The classes of a style; empty for plain text. */
export function classesOf({ fore, back, bold, italic, under }: Style): string {
  const classes = [fore !== null && `f${fore}`, back !== null && `b${back}`, bold && 'bold', italic && 'italic']
  return [...classes, under && 'under'].filter(Boolean).join(' ')
}

/** The style of these classes. */
export function styleOf(classes: string): Style {
  const has = new Set(classes.split(' '))
  const colour = (letter: string) => {
    const found = [...has].find((name) => new RegExp(`^${letter}\\d{1,2}$`).test(name))
    return found === undefined ? null : Number(found.slice(1))
  }
  const [bold, italic, under] = ['bold', 'italic', 'under'].map((name) => has.has(name)) as [boolean, boolean, boolean]
  return { fore: colour('f'), back: colour('b'), bold, italic, under }
}

/** The nearest of the 16 colours to one of red, green and blue from 0 to 255. */
function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue)
  const isGrey = most - Math.min(red, green, blue) < 32
  if (isGrey) return most < 64 ? 0 : most < 150 ? 8 : most < 220 ? 7 : 15
  const bits = Number(red > most / 2) + 2 * Number(green > most / 2) + 4 * Number(blue > most / 2)
  return most > 200 ? bits + 8 : bits
}

/** One of the 256 colours of terminals as one of 16. */
function ofTable(index: number): number {
  if (index < 16) return index
  if (index >= 232) {
    const grey = (index - 232) * 10 + 8
    return nearest(grey, grey, grey)
  }
  const [red = 0, green = 0, blue = 0] = [36, 6, 1].map((step) => (Math.floor((index - 16) / step) % 6) * 51)
  return nearest(red, green, blue)
}

/** The colour that begins after 38 or 48, and how many codes it takes. */
function longColour(codes: readonly number[]): [colour: number | null, length: number] {
  const [kind, one = 0, two = 0, three = 0] = codes
  const isByte = (value: number) => value >= 0 && value <= 255
  if (kind === 5) return [isByte(one) ? ofTable(one) : null, 2]
  if (kind === 2) return [[one, two, three].every(isByte) ? nearest(one, two, three) : null, 4]
  return [null, codes.length]
}

const switches: Readonly<Record<number, Partial<Style>>> = {
  1: { bold: true },
  3: { italic: true },
  4: { under: true },
  22: { bold: false },
  23: { italic: false },
  24: { under: false },
  39: { fore: null },
  49: { back: null },
}

function colourOf(code: number): Partial<Style> {
  if (code >= 30 && code <= 37) return { fore: code - 30 }
  if (code >= 90 && code <= 97) return { fore: code - 82 }
  if (code >= 40 && code <= 47) return { back: code - 40 }
  return code >= 100 && code <= 107 ? { back: code - 92 } : {}
}

/** The style after the codes of a sequence, such as `1;31`. What is unknown changes nothing. */
function styleAfter(before: Style, sequence: string): Style {
  const codes = sequence.split(/[;:]/).map(Number)
  const style = { ...before }
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    if (code === 0) Object.assign(style, plainStyle)
    else if (code === 38 || code === 48) {
      const [colour, length] = longColour(codes.slice(at + 1, at + 5))
      style[code === 38 ? 'fore' : 'back'] = colour
      at += length
    } else Object.assign(style, switches[code] ?? colourOf(code))
  }
  return style
}

/** What was computed: logs have few styles and sequences, and many of each. */
const known = new Map<string, string>()
const mostKnown = 1_000

/** The classes after the codes of a sequence, such as `1;31`. */
export function classesAfter(classes: string, sequence: string): string {
  const key = `${classes};${sequence}`
  const found = known.get(key)
  if (found !== undefined) return found
  const after = classesOf(styleAfter(styleOf(classes), sequence))
  if (known.size >= mostKnown) known.clear()
  if (key.length < 100) known.set(key, after)
  return after
}
