import type { Html } from '../../../html/index.ts'
import {
  type DiscussionObject,
  type NoteObject,
  suggestionsApply,
  suggestionsApplySeveral,
} from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Do, Form, visitOfForm } from '../../../parts/form.tsx'

type Suggestion = NonNullable<NoteObject['suggestions']>[number]

const linesIn = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

function Line({ kind, number, text }: { kind: 'add' | 'del'; number: number; text: string }): Html {
  return (
    <tr class={kind}>
      <td class="no" data-line={number}></td>
      <td class="mark" aria-label={kind === 'add' ? 'added' : 'removed'}>
        {kind === 'add' ? '+' : '−'}
      </td>
      <td class="line">{text}</td>
    </tr>
  )
}

function Suggested({ visit, suggestion, mayApply }: { visit: Visit; suggestion: Suggestion; mayApply: boolean }): Html {
  const { id, from_line: from, appliable, applied } = suggestion
  const form = `suggestion-${id}`
  const { refused } = visitOfForm(visit, suggestionsApply, form)
  const said = applied ? 'Applied' : appliable ? '' : 'It cannot be applied any more.'
  return (
    <div class="suggestion diff">
      <div class="suggestion-head">
        <span>
          Suggested change {said && <span class="soft">{said}</span>}
          {refused && (
            <span class="problem" role="alert">
              {' '}
              {refused.sentence}
            </span>
          )}
        </span>
        {appliable && mayApply && (
          <Do visit={{ ...visit, refused: null }} performs={suggestionsApply} form={form} call={{ id }}>
            Apply
          </Do>
        )}
      </div>
      <section class="scroll" tabindex={0} aria-label="Suggested change">
        <table>
          <tbody>
            {linesIn(suggestion.from_content).map((text, index) => (
              <Line kind="del" number={from + index} text={text} />
            ))}
            {linesIn(suggestion.to_content).map((text, index) => (
              <Line kind="add" number={from + index} text={text} />
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

/** Whether the caller may apply what the comments on a merge request suggest: it is the same for all of them. */
export async function mayApplyIn(visit: Visit, discussions: readonly DiscussionObject[]): Promise<boolean> {
  const [first] = discussions.flatMap(({ notes }) => notes.flatMap(({ suggestions = [] }) => suggestions))
  return first !== undefined && visit.may(suggestionsApply, { id: first.id })
}

/** Chooses suggestions that are applied in one commit, where there are several. */
export function ApplyTogether({
  visit,
  discussions,
}: {
  visit: Visit
  discussions: readonly DiscussionObject[]
}): Html {
  const notes = discussions.flatMap((one) => one.notes)
  const offered = notes.flatMap(({ author, position, suggestions = [] }) =>
    suggestions.filter(({ appliable }) => appliable).map((suggestion) => ({ author, position, suggestion })),
  )
  if (offered.length < 2) return <></>
  return (
    <details class="more" open={visitOfForm(visit, suggestionsApplySeveral).refused !== null}>
      <summary>Apply {offered.length} suggestions together</summary>
      <Form visit={visit} performs={suggestionsApplySeveral} class="stack">
        {offered.map(({ author, position, suggestion: { id, from_line: from, to_line: to } }) => (
          <label>
            <input type="checkbox" name="ids[]" value={id} checked /> {position?.new_path},{' '}
            {from === to ? `line ${from}` : `lines ${from} to ${to}`}, by {author.name}
          </label>
        ))}
        <button>Apply in one commit</button>
      </Form>
    </details>
  )
}

/** What a comment suggests, as a change of its lines. @param mayApply as `mayApplyIn` says */
export function Suggestions({ visit, note, mayApply }: { visit: Visit; note: NoteObject; mayApply: boolean }): Html {
  return (
    <>
      {(note.suggestions ?? []).map((suggestion) => (
        <Suggested visit={visit} suggestion={suggestion} mayApply={mayApply} />
      ))}
    </>
  )
}
