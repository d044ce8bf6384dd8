import { groupIssuesList, iterationsGet, named } from '../../../operations.ts'
import { numberIn, page } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do, Field, Form } from '../../../parts/form.tsx'
import { Time } from '../../../parts/parts.tsx'
import { Prose } from '../../../parts/writing/index.ts'
import { nameOfIteration } from '../issues/read.ts'
import { addressIn } from '../places.ts'
import { Progress, readAll } from './progress.tsx'

const [update, remove] = [named('iterations.update'), named('iterations.delete')]
const states: Readonly<Record<number, string>> = { 1: 'Upcoming', 2: 'Current', 3: 'Closed' }

/** An iteration of a group with its progress. */
export const iteration = page({
  at: 'group',
  path: 'iterations/:iteration',
  performs: [update, remove],
  async show(visit) {
    const call = { id: visit.group.id, iteration_id: numberIn(visit, 'iteration') }
    const shown = await visit.read(iterationsGet, call)
    const [issues, mayChange] = await Promise.all([
      readAll((number) =>
        visit.read(groupIssuesList, {
          ...{ id: call.id, iteration_id: call.iteration_id, with_labels_details: true },
          ...{ page: number, per_page: 100, scope: 'all' as const },
        }),
      ),
      visit.may(update, call),
    ])
    return {
      title: nameOfIteration(shown),
      crumbs: [['Iterations', addressIn(visit, 'iterations')]],
      actions: mayChange && (
        <Confirm label="Delete" question="Delete the iteration? Its issues stay.">
          <Do visit={visit} performs={remove} call={call} then={addressIn(visit, 'iterations')} kind="danger">
            Delete the iteration
          </Do>
        </Confirm>
      ),
      body: (
        <div class="sections">
          <p class="soft">
            {states[shown.state]} · <Time at={shown.start_date} /> – <Time at={shown.due_date} />
          </p>
          {shown.description && <Prose visit={visit} text={shown.description} lead />}
          <Progress visit={visit} issues={issues} first={shown.start_date} last={shown.due_date} isOfProject={false} />
          {mayChange && (
            <details open={visit.refused !== null}>
              <summary class="quiet">Change</summary>
              <Form visit={visit} performs={update} call={call} class="stack">
                {(['title', 'description', 'start_date', 'due_date'] as const).map((name) => (
                  <Field visit={visit} operation={update} name={name} options={{ value: shown[name] }} />
                ))}
                <button class="primary">Save</button>
              </Form>
            </details>
          )}
        </div>
      ),
    }
  },
})
