import { createHash } from 'node:crypto'
import type { Html } from '../../../../html/index.ts'
import type { Visit } from '../../../../page.ts'
import type { Line, Piece } from '../../../../parts/diff/index.ts'
import { isLine, lineId } from '../../../../parts/diff/index.ts'
import { AddToReview, type Review } from '../../../../parts/discussion/index.ts'
import { Form, visitOfForm } from '../../../../parts/form.tsx'
import { withQuery } from '../../../../parts/parts.tsx'
import { MarkdownField, MarkdownTools } from '../../../../parts/writing/index.ts'
import { requestConversation } from '../names.ts'
import type { Version } from './read.ts'

const formName = 'line'

/** The line that the address names: the place of its file in the diff, and the numbers at which both sides are. */
export type At = { index: number; at: readonly [number, number] }

/** Reads the line that the address names. */
export function atOf({ query }: Visit): At | null {
  const [, file, before, after] = /^(\d{1,6})_(\d{1,9})_(\d{1,9})$/.exec(query.at ?? '') ?? []
  return file ? { index: Number(file) - 1, at: [Number(before), Number(after)] } : null
}

export const isAt = (at: At | null, { index }: Piece, { at: own }: Line): boolean =>
  at !== null && at.index === index && at.at[0] === own[0] && at.at[1] === own[1]

/** A range begins at most so many lines above its end. */
const mostLines = 40

const codeOf = (path: string, { at }: Line) => `${createHash('sha1').update(path).digest('hex')}_${at[0]}_${at[1]}`
const wordsOf = (line: Line) => (line.kind === 'del' ? `removed line ${line.before}` : `line ${line.after}`)

/** Where the lines begin that a thread is about: at its line, or at one of those before it. */
function Range({ piece, line }: { piece: Piece; line: Line }): Html {
  const path = piece.file.new_path
  const end = piece.rows.indexOf(line)
  const before = piece.rows.slice(0, end)
  const hunk = before.slice(before.findLastIndex((row) => row.kind === 'hunk') + 1)
  const lines = hunk.filter(isLine).slice(-mostLines)
  if (lines.length === 0) return <></>
  return (
    <label class="range">
      From{' '}
      <select name="position[line_range][start][line_code]">
        <option value={codeOf(path, line)}>this line</option>
        {lines.toReversed().map((one) => (
          <option value={codeOf(path, one)}>{wordsOf(one)}</option>
        ))}
      </select>{' '}
      to {wordsOf(line)}
      <input type="hidden" name="position[line_range][end][line_code]" value={codeOf(path, line)} />
    </label>
  )
}

/** The text of a comment that suggests other lines; it begins with what is there. */
const suggestionOf = ({ text }: Line) => `\`\`\`suggestion:-0+0\n${text}\n\`\`\`\n`

/** The parameters that say which line a thread is about. */
function positionOf({ file }: Piece, line: Line, version: Version): Record<string, string | number> {
  return {
    ...shasOf(version),
    'position[old_path]': file.old_path,
    'position[new_path]': file.new_path,
    ...(line.kind !== 'add' && { 'position[old_line]': line.before }),
    ...(line.kind !== 'del' && { 'position[new_line]': line.after }),
  }
}

const shasOf = ({ base_commit_sha: base, start_commit_sha: start, head_commit_sha: head }: Version) => ({
  'position[position_type]': 'text',
  'position[base_sha]': base,
  'position[start_sha]': start,
  'position[head_sha]': head,
})

type LineFormProps = {
  visit: Visit
  call: Record<string, number>
  piece: Piece
  line: Line
  version: Version
  review: Review | null | undefined
}

/** The form that starts a thread at a line. The address may ask for a suggestion. */
export function LineForm({ visit, call, piece, line, version, review }: LineFormProps): Html {
  const performs = requestConversation.start ?? requestConversation.comment
  const { refused } = visitOfForm(visit, performs, formName)
  const back = `${withQuery(visit.path, { at: null, suggest: null })}#${lineId(piece, line)}`
  const suggests = visit.query.suggest !== undefined
  return (
    <Form
      visit={visit}
      performs={performs}
      form={formName}
      call={{ ...call, ...positionOf(piece, line, version) }}
      then={back}
      class="stack wide line-form"
    >
      <Range piece={piece} line={line} />
      <MarkdownField
        visit={visit}
        operation={performs}
        form={formName}
        name="body"
        label={`Comment on ${wordsOf(line)}`}
        value={suggests && !refused ? suggestionOf(line) : ''}
        rows={4}
        required
        isBare
      />
      <div class="buttons">
        <button class="primary">Start a thread</button>
        {review && <AddToReview visit={visit} review={review} then={back} />}
        <a class="button" href={back}>
          Cancel
        </a>
        <MarkdownTools name="body" />
        {line.kind !== 'del' && !suggests && (
          <a class="quiet" href={`${withQuery(visit.path, { suggest: 1 })}#${lineId(piece, line)}`}>
            Suggest a change
          </a>
        )}
      </div>
    </Form>
  )
}

/** The same form without a line, from which the script makes those that it opens. */
export function FormOfScript({ visit, call, version, review }: Omit<LineFormProps, 'piece' | 'line'>): Html {
  const performs = requestConversation.start ?? requestConversation.comment
  const fresh = { ...visit, refused: null }
  return (
    <template id="line-form">
      <Form
        visit={fresh}
        performs={performs}
        form={formName}
        call={{ ...call, ...shasOf(version) }}
        class="stack wide line-form"
      >
        {['old_path', 'new_path', 'old_line', 'new_line'].map((name) => (
          <input type="hidden" name={`position[${name}]`} value="" />
        ))}
        <label class="range">
          From <select name="_from"></select> to <span class="end"></span>
        </label>
        {['old_line', 'new_line'].map((name) => (
          <>
            <input type="hidden" name={`position[line_range][start][${name}]`} value="" />
            <input type="hidden" name={`position[line_range][end][${name}]`} value="" />
          </>
        ))}
        <MarkdownField
          visit={fresh}
          operation={performs}
          form="scripted"
          name="body"
          label="Comment"
          rows={4}
          required
          isBare
        />
        <div class="buttons">
          <button class="primary">Start a thread</button>
          {review && <AddToReview visit={visit} review={review} />}
          <button type="button" data-cancel="">
            Cancel
          </button>
          <MarkdownTools name="body" />
          <button type="button" class="quiet" data-suggest="">
            Suggest a change
          </button>
        </div>
      </Form>
    </template>
  )
}
