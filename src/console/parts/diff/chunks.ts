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

/** A page has at most so many lines, and so many letters of them. */
const linesOfPage = 3_000
const lettersOfPage = 1_000_000

const lettersOf = (rows: readonly Row[]) => rows.reduce((sum, { text }) => sum + text.length, 0)

/** Divides changes into pages of at most 3,000 lines and a million letters. Small files stay whole. */
export function pagesOfDiff(files: readonly ChangedFile[]): Piece[][] {
  let page: Piece[] = []
  const pages = [page]
  let [lines, letters] = [linesOfPage, lettersOfPage]
  for (const [index, file] of files.entries()) {
    const rows = rowsOf(file.diff)
    const facts = { file, index, ...changesOf(rows) }
    for (let from = 0; from === 0 || from < rows.length; from += linesOfPage) {
      const piece = rows.slice(from, from + linesOfPage)
      const size = lettersOf(piece)
      if (page.length > 0 && (piece.length > lines || size > letters)) {
        page = []
        pages.push(page)
        ;[lines, letters] = [linesOfPage, lettersOfPage]
      }
      lines -= piece.length
      letters -= size
      page.push({ ...facts, rows: piece, isContinued: from > 0 })
    }
  }
  return pages
}

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
