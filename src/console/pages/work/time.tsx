import type { Operation } from '../../../api/index.ts'
import type { Html } from '../../html/index.ts'
import type { Visit } from '../../page.ts'
import { Do, Form, visitOfForm } from '../../parts/form.tsx'
import { ProgressBar } from '../../parts/plots.tsx'

type TimeProps = {
  visit: Visit
  stats: {
    time_estimate: number
    total_time_spent: number
    human_time_estimate: string | null
    human_total_time_spent: string | null
  }
  call: Record<string, number>
  mayPlan: boolean
  operations: Readonly<Record<'setEstimate' | 'resetEstimate' | 'addSpent' | 'resetSpent', Operation>>
}

/** The estimated and the spent time of an issue or merge request. */
export function TimeTracking({ visit, stats, call, mayPlan, operations }: TimeProps): Html {
  const { setEstimate, resetEstimate, addSpent, resetSpent } = operations
  const { time_estimate: estimate, total_time_spent: spent } = stats
  const { human_time_estimate: estimated, human_total_time_spent: used } = stats
  const isRefused = [setEstimate, addSpent].some((one) => visitOfForm(visit, one).refused !== null)
  return (
    <section>
      <h2>Time</h2>
      <p class="shown">
        {used ?? 'No time'} spent{estimated && ` of ${estimated}`}
      </p>
      {estimate > 0 && <ProgressBar part={spent / estimate} />}
      {mayPlan && (
        <details class="side-edit" open={isRefused}>
          <summary class="quiet">
            Edit<span class="hidden"> time</span>
          </summary>
          <Form visit={visit} performs={addSpent} call={call} class="side-form">
            <input type="text" name="duration" aria-label="Spent time to add" placeholder="1h 30m" required />
            <button>Add spent time</button>
          </Form>
          <Form visit={visit} performs={setEstimate} call={call} class="side-form">
            <input
              type="text"
              name="duration"
              aria-label="Estimated time"
              placeholder="1d 2h"
              value={estimated ?? ''}
              required
            />
            <button>Set the estimate</button>
          </Form>
          {estimate > 0 && (
            <Do visit={visit} performs={resetEstimate} call={call} kind="quiet">
              Remove the estimate
            </Do>
          )}
          {spent > 0 && (
            <Do visit={visit} performs={resetSpent} call={call} kind="quiet">
              Remove the spent time
            </Do>
          )}
        </details>
      )}
    </section>
  )
}
