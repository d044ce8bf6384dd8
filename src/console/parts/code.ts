import { type Html, trusted } from '../html/index.ts'

/**
 * A table of lines with numbers and addresses (`#L1`). The rows are written as text: a file has thousands.
 * @param first the number of the first line
 * @param before a cell before the number of each line
 * @param prefix begins the addresses of the lines, where a page has several files
 */
export function codeTable(lines: readonly Html[], first = 1, before: readonly Html[] = [], prefix = 'L'): Html {
  let rows = ''
  for (const [index, line] of lines.entries()) {
    const cell = before[index]?.text ?? ''
    const number = first + index
    rows += `<tr id="${prefix}${number}">${cell}<td class="no" data-line="${number}"></td><td class="line">${line.text}</td></tr>`
  }
  return trusted(`<table class="code"><tbody>${rows}</tbody></table>`)
}
