import { type Code, highlightedLines, languageOf } from '../../highlighting/index.ts'
import type { Child, Html } from '../../html/index.ts'
import { withQuery } from '../parts.tsx'
import { type ChangedFile, type Piece, pagesOfDiff } from './chunks.ts'
import { pairsOf, type Row } from './rows.ts'
import { changedSpans, withMarks } from './words.ts'

/** Longer changes of a file are closed at first. */
const openLines = 400

/** The lines of a piece with colours and with marks on the words that changed. */
function markedLines({ rows }: Piece, lines: readonly Html[]): Html[] {
  const marked = [...lines]
  for (const [left, right] of pairsOf(rows)) {
    const [removed, added] = [rows[left ?? -1], rows[right ?? -1]]
    if (left === null || right === null || left === right || !removed || !added) continue
    const [before, after] = changedSpans(removed.text, added.text)
    marked[left] = withMarks(lines[left] as Html, before)
    marked[right] = withMarks(lines[right] as Html, after)
  }
  return marked
}

const numbersOf = (row: Row | undefined) => ({
  before: row && 'before' in row ? row.before : undefined,
  after: row && 'after' in row ? row.after : undefined,
})
const signs = { add: '+', del: '−', same: '', hunk: '', note: '' }
const spoken = { add: 'added', del: 'removed', same: undefined, hunk: undefined, note: undefined }

function Wide({ row, columns }: { row: Row; columns: number }) {
  return (
    <tr class="hunk">
      <td colspan={columns}>{row.text}</td>
    </tr>
  )
}

function Unified({ rows, lines }: { rows: readonly Row[]; lines: readonly Html[] }) {
  return (
    <tbody>
      {rows.map((row, index) => {
        if (row.kind === 'hunk' || row.kind === 'note') return <Wide row={row} columns={4} />
        const { before, after } = numbersOf(row)
        return (
          <tr class={row.kind}>
            <td class="no" data-line={before}></td>
            <td class="no" data-line={after}></td>
            <td class="mark" aria-label={spoken[row.kind]}>
              {signs[row.kind]}
            </td>
            <td class="line">{lines[index]}</td>
          </tr>
        )
      })}
    </tbody>
  )
}

function Side({ row, line, side }: { row: Row | undefined; line: Html | undefined; side: 'before' | 'after' }) {
  const kind = row?.kind === 'same' ? 'same' : row ? row.kind : 'none'
  return (
    <>
      <td class={`no ${kind}`} data-line={numbersOf(row)[side]}></td>
      <td class={`line ${kind}`}>{line}</td>
    </>
  )
}

function SideBySide({ rows, lines }: { rows: readonly Row[]; lines: readonly Html[] }) {
  return (
    <tbody>
      {pairsOf(rows).map(([left, right]) => {
        const [one, other] = [rows[left ?? -1], rows[right ?? -1]]
        if (one?.kind === 'hunk') return <Wide row={one} columns={4} />
        return (
          <tr>
            <Side row={one} line={lines[left ?? -1]} side="before" />
            <Side row={other} line={lines[right ?? -1]} side="after" />
          </tr>
        )
      })}
    </tbody>
  )
}

const kinds: Readonly<Record<string, string>> = { '120000': 'symbolic link', '160000': 'submodule' }

/** What happened to a file besides its lines. */
function notesOf({ file, isContinued }: Piece): string[] {
  const { new_file, deleted_file, renamed_file, a_mode: before, b_mode: after } = file
  const changedMode = !new_file && !deleted_file && before !== after
  const notes = [new_file && 'new', deleted_file && 'deleted', renamed_file && 'renamed', isContinued && 'continued']
  return [...notes, changedMode && `mode ${before} → ${after}`, kinds[after] ?? kinds[before]].filter(
    (note): note is string => typeof note === 'string',
  )
}

function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts">
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  )
}

function FileDiff({ piece, lines, isSplit }: { piece: Piece; lines: readonly Html[]; isSplit: boolean }) {
  const { file, index, rows } = piece
  const name = file.renamed_file ? `${file.old_path} → ${file.new_path}` : file.new_path
  const Body = isSplit ? SideBySide : Unified
  return (
    <details class="diff" id={`file-${index + 1}`} open={rows.length <= openLines}>
      <summary>
        <code>{name}</code>
        {notesOf(piece).map((note) => (
          <span class="note">{note}</span>
        ))}
        <Counts {...piece} />
      </summary>
      {rows.length === 0 ? (
        <p class="quiet-note">{file.too_large ? 'The changes are too large to show.' : 'No changed lines of text.'}</p>
      ) : (
        <section class="scroll" tabindex={0} aria-label={`Changes of ${file.new_path}`}>
          <table class={isSplit ? 'split' : undefined}>
            <Body rows={rows} lines={markedLines(piece, lines)} />
          </table>
        </section>
      )}
    </details>
  )
}

/** The list of changed files. @param hrefOf where the lines of a file are */
function FileList({
  pages,
  hrefOf,
}: {
  pages: readonly (readonly Piece[])[]
  hrefOf(page: number, index: number): string
}) {
  const files = pages.flatMap((pieces, page) => pieces.map((piece) => ({ piece, page })))
  const first = files.filter(({ piece }) => !piece.isContinued)
  return (
    <details class="files" open={first.length <= 12}>
      <summary>
        {first.length} changed {first.length === 1 ? 'file' : 'files'}
      </summary>
      <ul>
        {first.map(({ piece, page }) => (
          <li>
            <a href={hrefOf(page + 1, piece.index + 1)}>
              <code>{piece.file.new_path}</code>
            </a>{' '}
            <Counts {...piece} />
          </li>
        ))}
      </ul>
    </details>
  )
}

type Shown = {
  files: readonly ChangedFile[]
  /** Path and query of the page. It understands `page`, and `view=split`. */
  path: string
  number: number
  isSplit: boolean
  /** What stands beside the links to the two views. */
  beside?: Child
}

/** Changes of files, unified or side by side, at most 3,000 lines a page. */
export async function diffs({ files, path, number, isSplit, beside }: Shown): Promise<Html> {
  const pages = pagesOfDiff(files)
  const shown = pages[number - 1] ?? []
  const codes = shown.map(({ file, rows }): Code => {
    const text = rows.map((row) => row.text).join('\n')
    return { text, language: file.new_path.endsWith('.md') ? null : languageOf(file.new_path) }
  })
  const lines = await highlightedLines(codes)
  const hrefOf = (page: number) => withQuery(path, { page: page === 1 ? null : page })
  return (
    <div>
      <div class="diff-bar">
        {beside}
        <nav class="tabs" aria-label="View">
          <a href={withQuery(path, { view: null })} aria-current={isSplit ? undefined : 'page'}>
            Unified
          </a>
          <a href={withQuery(path, { view: 'split' })} aria-current={isSplit ? 'page' : undefined}>
            Side by side
          </a>
        </nav>
      </div>
      <FileList pages={pages} hrefOf={(page, index) => `${page === number ? '' : hrefOf(page)}#file-${index}`} />
      {shown.map((piece, index) => (
        <FileDiff piece={piece} lines={lines[index] ?? []} isSplit={isSplit} />
      ))}
      {pages.length > 1 && (
        <nav class="pages" aria-label="Pages">
          {number > 1 && (
            <a rel="prev" href={hrefOf(number - 1)}>
              Previous
            </a>
          )}
          <span>
            Page {number} of {pages.length}
          </span>
          {number < pages.length && (
            <a rel="next" href={hrefOf(number + 1)}>
              Next
            </a>
          )}
        </nav>
      )}
    </div>
  )
}
