import { changesOf, type Row, rowsOf } from './rows.ts'

/** A changed file, as the API has it. */
export type ChangedFile = {
  old_path: string
  new_path: string
  diff: string
  new_file: boolean
  renamed_file: boolean
  deleted_file: boolean
  too_large?: boolean
  a_mode: string
  b_mode: string
}

/** A file, or a piece of a large one, as a page shows it. */
export type Piece = {
  file: ChangedFile
  index: number
  rows: readonly Row[]
  added: number
  removed: number
  /** Whether another page has lines of the file that come before these. */
  isContinued: boolean
  /** Whether its lines did not fit on the page. */
  isLeftOut?: boolean
}

/** A page has at most so many lines. */
const linesOfPage = 3_000

/** Divides changes into pages of at most 3,000 lines. Small files stay whole. */
export function pagesOfDiff(files: readonly ChangedFile[]): Piece[][] {
  const pages: Piece[][] = [[]]
  let room = linesOfPage
  for (const [index, file] of files.entries()) {
    const rows = rowsOf(file.diff)
    const facts = { file, index, ...changesOf(rows) }
    for (let from = 0; from === 0 || from < rows.length; from += linesOfPage) {
      const piece = rows.slice(from, from + linesOfPage)
      if (piece.length > room) {
        pages.push([])
        room = linesOfPage
      }
      room -= piece.length
      pages.at(-1)?.push({ ...facts, rows: piece, isContinued: from > 0 })
    }
  }
  return pages
}

const lettersOfPage = 1_000_000

/**
 * The files of one page: those that do not fit into 3,000 lines and a million letters are without lines.
 * @param first the index of the first file in the whole diff
 */
export function piecesOfPage(files: readonly ChangedFile[], first: number): Piece[] {
  let [lines, letters] = [linesOfPage, lettersOfPage]
  return files.map((file, index) => {
    const rows = rowsOf(file.diff)
    const facts = { file, index: first + index, ...changesOf(rows), isContinued: false }
    if (rows.length > lines || file.diff.length > letters) return { ...facts, rows: [], isLeftOut: true }
    lines -= rows.length
    letters -= file.diff.length
    return { ...facts, rows }
  })
}
