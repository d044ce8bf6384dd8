import { createHash } from 'node:crypto'
import type { Html } from '../../../html/index.ts'
import { issueTasksUpdate } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Form } from '../../../parts/form.tsx'
import { Prose } from '../../../parts/writing/index.ts'
import type { ReadIssue } from './read.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A box of a task: a button that turns it around. */
const box = (line: number, isDone: boolean): Html => (
  <button class="task-box" name="line_number" value={line} role="checkbox" aria-checked={isDone ? 'true' : 'false'}>
    <span aria-hidden="true">{isDone ? '☑' : '☐'}</span>
    <span class="hidden">Task in line {line}</span>
  </button>
)

/** The text of an issue. Those who may change it tick its tasks. */
export function Description({ visit, of: { issue, call, mayChange } }: { visit: Visit; of: ReadIssue }): Html {
  const { description, task_completion_status: tasks } = issue
  if (!description) return <p class="soft">No description.</p>
  if (!mayChange || tasks.count === 0) return <Prose visit={visit} text={description} lead />
  return (
    <Form visit={visit} performs={issueTasksUpdate} call={{ ...call, description_sha256: sha256(description) }}>
      <Prose visit={visit} text={description} lead task={({ line, isDone }) => box(line, isDone).text} />
    </Form>
  )
}
