import { type Code, highlightedLines, languageOf } from '../../highlighting/index.ts'
import type { Html } from '../../html/index.ts'
import type { Piece } from './chunks.ts'
import { type AtLines, SideBySide, Unified } from './lines.tsx'
import { pairsOf } from './rows.ts'
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

/** The numbers of added and removed lines. */
export function Counts({ added, removed }: { added: number; removed: number }): Html {
  return (
    <span class="counts">
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  )
}

function NoLines({ piece, atLines }: { piece: Piece; atLines: AtLines | undefined }): Html {
  const { file, isLeftOut } = piece
  if (isLeftOut && atLines) {
    return (
      <p class="quiet-note">
        The changes do not fit on this page. <a href={atLines.hrefOfLines(piece)}>Show them</a>
      </p>
    )
  }
  return <p class="quiet-note">{file.too_large ? 'The changes are too large to show.' : 'No changed lines of text.'}</p>
}

type FileProps = { piece: Piece; lines: readonly Html[]; isSplit: boolean; atLines: AtLines | undefined }

function FileDiff({ piece, lines, isSplit, atLines }: FileProps): Html {
  const { file, index, rows } = piece
  const name = file.renamed_file ? `${file.old_path} → ${file.new_path}` : file.new_path
  const Body = isSplit ? SideBySide : Unified
  const paths = atLines && { 'data-old-path': file.old_path, 'data-new-path': file.new_path }
  return (
    <details
      class={atLines ? 'diff talked' : 'diff'}
      id={`file-${index + 1}`}
      open={rows.length <= openLines || atLines?.isOpen?.(piece) === true}
      data-mark={atLines?.markOf(piece)}
      {...paths}
    >
      <summary>
        <code>{name}</code>
        {notesOf(piece).map((note) => (
          <span class="note">{note}</span>
        ))}
        <Counts {...piece} />
      </summary>
      {atLines?.above(piece)}
      {rows.length === 0 ? (
        <NoLines piece={piece} atLines={atLines} />
      ) : (
        <section class="scroll" tabindex={0} aria-label={`Changes of ${file.new_path}`}>
          <table class={isSplit ? 'split' : undefined}>
            <Body piece={piece} lines={markedLines(piece, lines)} atLines={atLines} />
          </table>
        </section>
      )}
    </details>
  )
}

/** Files with their changed lines, highlighted. */
export async function fileDiffs(
  pieces: readonly Piece[],
  { isSplit, atLines }: { isSplit: boolean; atLines?: AtLines },
): Promise<Html> {
  const codes = pieces.map(({ file, rows }): Code => {
    const text = rows.map((row) => row.text).join('\n')
    return { text, language: file.new_path.endsWith('.md') ? null : languageOf(file.new_path) }
  })
  const lines = await highlightedLines(codes)
  return (
    <>
      {pieces.map((piece, index) => (
        <FileDiff piece={piece} lines={lines[index] ?? []} isSplit={isSplit} atLines={atLines} />
      ))}
    </>
  )
}
