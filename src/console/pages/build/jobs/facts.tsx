import type { AnswerOf } from '../../../../api/index.ts'
import type { Child } from '../../../html/index.ts'
import type { JobObject, jobsDefinition, PlannedJob } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { duration, Icon, Status, statusIcon, Time } from '../../../parts/parts.tsx'
import { words } from '../../../parts/words.ts'
import { at, pathOf } from '../../code/places.ts'
import { reasonOf } from '../statuses.ts'

type Definition = AnswerOf<typeof jobsDefinition>
export type FactsProps = {
  visit: Visit
  job: JobObject
  definition: Definition | null
  /** The jobs of its pipeline. */
  plan: readonly PlannedJob[]
  /** The deployment that it has made. */
  deployed: Child
}

function Fact({ title, children }: { title: string; children: Child }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Jobs({ visit, jobs }: { visit: Visit; jobs: readonly PlannedJob[] }) {
  return (
    <ul class="facts">
      {jobs.map(({ id, name, status }) => (
        <li>
          <span class={`status ${status}`}>
            <Icon name={statusIcon(status)} label={words(status)} />
          </span>
          <a href={at(visit, `jobs/${id}`)}>{name}</a>
        </li>
      ))}
    </ul>
  )
}

function Times({ job }: Pick<FactsProps, 'job'>) {
  return (
    <Fact title="Time">
      {job.started_at && (
        <p>
          Started <Time at={job.started_at} />
        </p>
      )}
      {job.duration !== null && <p>Took {duration(job.duration)}</p>}
      {job.queued_duration !== null && <p class="soft">Waited {duration(job.queued_duration)}</p>}
      {!job.started_at && job.queued_duration === null && <p class="soft">Not started</p>}
    </Fact>
  )
}

function Dependencies({ visit, job, definition, plan }: FactsProps) {
  const wanted = definition?.needs ?? definition?.dependencies
  if (!wanted) return <></>
  const needed = plan.filter(({ name, external }) => !external && wanted.includes(name))
  return (
    <Fact title={definition?.needs ? 'Needs' : 'Artifacts of'}>
      {needed.length > 0 ? <Jobs visit={visit} jobs={needed} /> : <p class="soft">No job of #{job.pipeline.id}</p>}
    </Fact>
  )
}

/** The runner, of which the API shows what the caller may see. */
function RunnerFact({ job }: Pick<FactsProps, 'job'>) {
  const runner = job.runner as { id: number; description: string | null } | null
  return (
    <Fact title="Runner">
      <p>{runner ? runner.description || `#${runner.id}` : <span class="soft">None yet</span>}</p>
      {job.tag_list.length > 0 && <p class="soft">Tags: {job.tag_list.join(', ')}</p>}
    </Fact>
  )
}

const mostSiblings = 30

/** What is known of a job, beside its log. */
export function Facts(props: FactsProps) {
  const { visit, job, definition, plan, deployed } = props
  const siblings = plan.filter(({ stage, external }) => stage === job.stage && !external)
  return (
    <>
      <Fact title="Status">
        <p>
          <Status status={job.status} />
          {job.allow_failure && <span class="tagged">may fail</span>}
        </p>
        {job.failure_reason && <p class="soft">{reasonOf(job.failure_reason)}</p>}
        {job.erased_at && (
          <p class="soft">
            Erased <Time at={job.erased_at} />
          </p>
        )}
      </Fact>
      <Times job={job} />
      <RunnerFact job={job} />
      {job.coverage !== null && (
        <Fact title="Coverage">
          <p>{job.coverage}%</p>
        </Fact>
      )}
      {definition?.environment && (
        <Fact title="Environment">
          {deployed || <p>{definition.environment.name}</p>}
          {definition.environment.url && <p class="soft">{definition.environment.url}</p>}
        </Fact>
      )}
      <Dependencies {...props} />
      <Fact title="Pipeline">
        <p>
          <a href={at(visit, `pipelines/${job.pipeline.id}`)}>#{job.pipeline.id}</a> · {job.ref}
        </p>
        {job.commit && (
          <p>
            <a class="sha" href={at(visit, `commit/${job.commit.id}`)}>
              {job.commit.short_id}
            </a>{' '}
            {job.commit.title}
          </p>
        )}
        {job.user && <p class="soft">by {job.user.name}</p>}
      </Fact>
      {siblings.length > 1 && (
        <Fact title={`Stage ${job.stage}`}>
          <Jobs visit={visit} jobs={siblings.slice(0, mostSiblings)} />
        </Fact>
      )}
    </>
  )
}

/** The address of the artifacts of a job, or of a folder of them. */
export const artifactsAt = (visit: Visit, jobId: number, folder = '') =>
  at(visit, `jobs/${jobId}/artifacts/browse${folder === '' ? '' : `/${pathOf(folder)}`}`)
