import { namedColors } from './css-colors.ts'

const hexadecimal = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** The colour of labels that are created by name only (contract 16, x.issue_create). */
export const defaultColor = '#6699cc'

/**
 * Reads a colour: `#RGB`, `#RRGGBB` or a name of CSS (contract 17, x.label_create).
 * @returns `#` and six digits in the case of the text; null when it is none of these
 */
export function parseColor(text: string): string | null {
  const written = text.trim()
  if (!hexadecimal.test(written)) {
    const digits = namedColors.get(written.toLowerCase())
    return digits === undefined ? null : `#${digits}`
  }
  return written.length === 7 ? written : written.replace(/[0-9a-f]/gi, '$&$&')
}

/** The sum of red, green and blue above which a colour is light. */
const lightFrom = 500

/** The colour of text on a label: dark on light colours, else white (contract 17, Label). @param color `#` and six digits */
export function textColorOf(color: string): '#FFFFFF' | '#1F1E24' {
  const parts = [1, 3, 5].map((from) => Number.parseInt(color.slice(from, from + 2), 16))
  return parts.reduce((sum, part) => sum + part, 0) > lightFrom ? '#1F1E24' : '#FFFFFF'
}
