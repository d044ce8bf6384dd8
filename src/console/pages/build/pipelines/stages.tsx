import type { PlannedJob } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { duration, Icon, statusIcon, Time } from '../../../parts/parts.tsx'
import { words } from '../../../parts/words.ts'
import { at } from '../../code/places.ts'
import { JobButtons } from '../jobs/actions.tsx'
import { hasEnded } from '../statuses.ts'

/** Where a job is shown: an external status at its own address, where it has one. */
export const addressOfJob = (visit: Visit, { id, external, web_url: address }: PlannedJob): string | undefined =>
  external ? (address ?? undefined) : at(visit, `jobs/${id}`)

/** Failed jobs stand first in their stage, then those that wait for people. */
const rank = ({ status, allow_failure: isAllowed }: PlannedJob) =>
  status === 'failed' ? Number(isAllowed) : status === 'manual' ? 2 : hasEnded(status) ? 4 : 3

type JobProps = { visit: Visit; job: PlannedJob; mayRun: boolean }

function Job({ visit, job, mayRun }: JobProps) {
  const { name, status, external } = job
  const href = addressOfJob(visit, job)
  const label = status === 'success' ? 'Passed' : words(status)
  return (
    <li class={`job ${status}`}>
      <span class={`status ${status}${job.allow_failure ? ' allowed' : ''}`}>
        <Icon name={statusIcon(status)} label={label} />
      </span>
      {href ? <a href={href}>{name}</a> : <span>{name}</span>}
      <span class="meta">
        {job.allow_failure && status === 'failed' && <span>allowed</span>}
        {job.held === 'approval' && status === 'manual' && <span>needs approval</span>}
        {job.start_at && status === 'scheduled' ? <Time at={job.start_at} /> : duration(job.duration)}
      </span>
      {mayRun && !external && <JobButtons visit={visit} job={job} isSmall />}
    </li>
  )
}

/** The jobs of a pipeline by stages, one column for each. */
export function Stages({ visit, jobs, mayRun }: { visit: Visit; jobs: readonly PlannedJob[]; mayRun: boolean }) {
  const stages = Map.groupBy(jobs, ({ stage }) => stage)
  return (
    <div class="stage-columns" tabindex={0} role="region" aria-label="Jobs by stages">
      {[...stages].map(([stage, members]) => (
        <section>
          <h2>{stage}</h2>
          <ul>
            {members
              .toSorted((one, other) => rank(one) - rank(other))
              .map((job) => (
                <Job visit={visit} job={job} mayRun={mayRun} />
              ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
