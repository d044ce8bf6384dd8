import type { Child, Html } from '../../html/index.ts'
import type { Piece } from './chunks.ts'
import { isLine, type Line, pairsOf, type Row } from './rows.ts'

/** What a page shows at the lines of a diff besides them. */
export type AtLines = {
  /** The address of the page on which something can be said about a line; null where nothing can. */
  hrefOf(piece: Piece, line: Line): string | null
  /** What is shown below a line. */
  below(piece: Piece, line: Line): Child
  /** What is shown below the name of a file. */
  above(piece: Piece): Child
  /** Where the lines of a file are that did not fit on the page. */
  hrefOfLines(piece: Piece): string
  /** Whether a file is open, also when it is long. */
  isOpen?(piece: Piece): boolean
  /** What names the content of a file, so that the browser can remember it. */
  markOf(piece: Piece): string
}

/** Names a line of a file in the page. */
export const lineId = ({ index }: Piece, { at }: Line): string => `l${index + 1}_${at[0]}_${at[1]}`

const numbersOf = (row: Row | undefined) => ({
  before: row && 'before' in row ? row.before : undefined,
  after: row && 'after' in row ? row.after : undefined,
})
const signs = { add: '+', del: '−', same: '', hunk: '', note: '' }
const spoken = { add: 'added', del: 'removed', same: undefined, hunk: undefined, note: undefined }

type LinesProps = { piece: Piece; lines: readonly Html[]; atLines: AtLines | undefined }

function Wide({ row }: { row: Row }) {
  return (
    <tr class="hunk">
      <td colspan={4}>{row.text}</td>
    </tr>
  )
}

/** The number of a line, which may lead to a form about it. */
function LineNumber({ kind, number, href }: { kind?: string; number: number | undefined; href?: string | null }) {
  const named = kind === undefined ? 'no' : `no ${kind}`
  if (!href || number === undefined) return <td class={named} data-line={number}></td>
  return (
    <td class={named}>
      <a href={href} data-line={number}>
        <span class="hidden">Comment on line {number}</span>
      </a>
    </td>
  )
}

function Below({ shown }: { shown: Child }) {
  return shown ? (
    <tr class="about-lines">
      <td colspan={4}>{shown}</td>
    </tr>
  ) : (
    <></>
  )
}

/** The lines of a file below each other. */
export function Unified({ piece, lines, atLines }: LinesProps): Html {
  return (
    <tbody>
      {piece.rows.map((row, index) => {
        if (!isLine(row)) return <Wide row={row} />
        const { before, after } = numbersOf(row)
        const href = atLines?.hrefOf(piece, row)
        return (
          <>
            <tr class={row.kind} id={atLines && lineId(piece, row)}>
              <LineNumber number={before} href={after === undefined ? href : null} />
              <LineNumber number={after} href={href} />
              <td class="mark" aria-label={spoken[row.kind]}>
                {signs[row.kind]}
              </td>
              <td class="line">{lines[index]}</td>
            </tr>
            <Below shown={atLines?.below(piece, row)} />
          </>
        )
      })}
    </tbody>
  )
}

type SideProps = { row: Row | undefined; line: Html | undefined; side: 'before' | 'after'; href?: string | null }

function Side({ row, line, side, href }: SideProps) {
  const kind = row?.kind ?? 'none'
  return (
    <>
      <LineNumber kind={kind} number={numbersOf(row)[side]} href={href ?? null} />
      <td class={`line ${kind}`}>{line}</td>
    </>
  )
}

/** The lines of a file, those before beside those after. */
export function SideBySide({ piece, lines, atLines }: LinesProps): Html {
  const { rows } = piece
  const hrefOf = (row: Row | undefined) => (row && isLine(row) ? atLines?.hrefOf(piece, row) : null)
  const idOf = (row: Row | undefined) => (atLines && row && isLine(row) ? lineId(piece, row) : undefined)
  const below = (row: Row | undefined) => (row && isLine(row) ? atLines?.below(piece, row) : null)
  return (
    <tbody>
      {pairsOf(rows).map(([left, right]) => {
        const [one, other] = [rows[left ?? -1], rows[right ?? -1]]
        if (one?.kind === 'hunk') return <Wide row={one} />
        return (
          <>
            <tr id={idOf(other ?? one)}>
              <Side row={one} line={lines[left ?? -1]} side="before" href={one === other ? null : hrefOf(one)} />
              <Side row={other} line={lines[right ?? -1]} side="after" href={hrefOf(other)} />
            </tr>
            {one !== other && <Below shown={below(one)} />}
            <Below shown={below(other)} />
          </>
        )
      })}
    </tbody>
  )
}
