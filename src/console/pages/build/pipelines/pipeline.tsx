import {
  type CommitObject,
  commitsGet,
  type PipelineObject,
  type PlannedJob,
  pipelinesCancel,
  pipelinesDelete,
  pipelinesGet,
  pipelinesPlan,
  pipelinesRetry,
  pipelinesVariables,
} from '../../../operations.ts'
import { numberIn, page, type Visit } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do } from '../../../parts/form.tsx'
import { duration, Icon, Status, Time, withQuery } from '../../../parts/parts.tsx'
import { Refusal } from '../../../parts/refusal.tsx'
import { words } from '../../../parts/words.ts'
import { at } from '../../code/places.ts'
import { readDeployed } from '../../delivery/parts.tsx'
import { JobButtons, jobActs } from '../jobs/actions.tsx'
import { RefLink } from '../ref-link.tsx'
import { isBusy, reasonOf } from '../statuses.ts'
import { Badges } from './badge.tsx'
import { Needs } from './needs.tsx'
import { addressOfJob, Stages } from './stages.tsx'
import { Tests } from './tests.tsx'

type Call = { id: number; pipeline_id: number }
type Shown = { visit: Visit; one: PipelineObject; jobs: readonly PlannedJob[] }

function Buttons({ visit, one, jobs, call }: Shown & { call: Call }) {
  const canRetry = jobs.some(({ status, external }) => !external && (status === 'failed' || status === 'canceled'))
  return (
    <>
      {canRetry && (
        <Do visit={visit} performs={pipelinesRetry} call={call}>
          Retry failed jobs
        </Do>
      )}
      {isBusy(one.status) && (
        <Do visit={visit} performs={pipelinesCancel} call={call}>
          Cancel
        </Do>
      )}
    </>
  )
}

function Facts({ visit, one, commit }: Omit<Shown, 'jobs'> & { commit: CommitObject | null }) {
  return (
    <div class="build-facts">
      <p>
        <Status status={one.status} /> <RefLink visit={visit} one={one} />{' '}
        <a class="sha" href={at(visit, `commit/${one.sha}`)}>
          {one.sha.slice(0, 8)}
        </a>{' '}
        {commit?.title}
      </p>
      <p class="soft">
        {words(one.source)}
        {one.user && (
          <>
            {' '}
            by <a href={one.user.web_url}>{one.user.name}</a>
          </>
        )}{' '}
        · <Time at={one.created_at} />
        {one.duration !== null && ` · ${one.finished_at ? 'took' : 'running for'} ${duration(one.duration)}`}
        {one.queued_duration ? ` · waited ${duration(one.queued_duration)}` : ''}
        {one.coverage !== null && ` · coverage ${one.coverage}%`}
      </p>
      {one.yaml_errors && (
        <pre class="problem" tabindex={0}>
          {one.yaml_errors}
        </pre>
      )}
    </div>
  )
}

/** Failed jobs before everything else: they are why people look. */
function Failed({ visit, jobs, mayRun }: Omit<Shown, 'one'> & { mayRun: boolean }) {
  const failed = jobs.filter(({ status, allow_failure: isAllowed }) => status === 'failed' && !isAllowed)
  if (failed.length === 0) return <></>
  return (
    <section class="failed-jobs">
      <h2>{failed.length === 1 ? 'A job failed' : `${failed.length} jobs failed`}</h2>
      <ul class="rows">
        {failed.slice(0, 20).map((job) => (
          <li>
            <span class="status failed">
              <Icon name="failed" label="Failed" />
            </span>
            <div class="grow">
              <a class="strong" href={addressOfJob(visit, job)}>
                {job.name}
              </a>{' '}
              <span class="soft">
                {job.stage} · {reasonOf(job.failure_reason)}
              </span>
            </div>
            {mayRun && !job.external && <JobButtons visit={visit} job={job} isSmall />}
          </li>
        ))}
      </ul>
    </section>
  )
}

const views = [
  ['', 'Jobs'],
  ['needs', 'Needs'],
  ['tests', 'Tests'],
  ['variables', 'Variables'],
] as const

function Tabs({ visit, current, hasVariables }: { visit: Visit; current: string; hasVariables: boolean }) {
  return (
    <nav class="tabs build-tabs" aria-label="Views">
      {views
        .filter(([view]) => view !== 'variables' || hasVariables)
        .map(([view, label]) => (
          <a href={withQuery(visit.path, { view: view || null })} aria-current={view === current ? 'page' : undefined}>
            {label}
          </a>
        ))}
    </nav>
  )
}

type Variable = { key: string; value: string; variable_type: string }

function Variables({ variables }: { variables: readonly Variable[] }) {
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {variables.map(({ key, value, variable_type: type }) => (
          <tr>
            <td>
              <code>{key}</code> {type === 'file' && <span class="tagged">file</span>}
            </td>
            <td>
              <details>
                <summary>Show</summary>
                <code class="value">{value}</code>
              </details>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A pipeline: what failed, its jobs by stages or by what they wait for, its variables. */
export const pipeline = page({
  at: 'project',
  path: 'pipelines/:pipeline',
  performs: [pipelinesRetry, pipelinesCancel, pipelinesDelete, ...jobActs],
  async show(visit) {
    const call = { id: visit.project.id, pipeline_id: numberIn(visit, 'pipeline') }
    const [one, jobs, variables, deployed, mayRun, mayDelete] = await Promise.all([
      visit.read(pipelinesGet, call),
      visit.read(pipelinesPlan, call),
      visit.find(pipelinesVariables, call),
      readDeployed(visit, { pipeline_id: call.pipeline_id }),
      visit.may(pipelinesRetry, call),
      visit.may(pipelinesDelete, call),
    ])
    const commit = await visit.find(commitsGet, { id: call.id, sha: one.sha, stats: false })
    // What buttons are refused for stands above them.
    const quiet = { ...visit, refused: null }
    const view = views.find(([name]) => name === visit.query.view)?.[0] ?? ''
    const tests = view === 'tests' ? await Tests({ visit, call }) : null
    const hasVariables = variables !== null && variables.length > 0
    return {
      title: one.name ?? `Pipeline #${one.id}`,
      crumbs: [['Pipelines', at(visit, 'pipelines')]],
      refreshes: isBusy(one.status),
      actions: (
        <>
          {mayRun && <Buttons visit={quiet} one={one} jobs={jobs} call={call} />}
          {mayDelete && (
            <Confirm label="Delete" question="Delete this pipeline with its jobs, logs and artifacts?">
              <Do visit={quiet} performs={pipelinesDelete} call={call} then={at(visit, 'pipelines')} kind="danger">
                Delete the pipeline
              </Do>
            </Confirm>
          )}
        </>
      ),
      body: (
        <div>
          <Refusal visit={visit} />
          <div id="pipeline" data-live="">
            <Facts visit={visit} one={one} commit={commit} />
            {deployed}
            {view === '' && <Failed visit={visit} jobs={jobs} mayRun={mayRun} />}
            <Tabs visit={visit} current={view} hasVariables={hasVariables} />
            {view === '' && <Stages visit={visit} jobs={jobs} mayRun={mayRun} />}
            {view === 'needs' && <Needs visit={visit} jobs={jobs} />}
            {tests}
            {view === 'variables' && hasVariables && <Variables variables={variables} />}
          </div>
          {one.source !== 'merge_request_event' && <Badges visit={visit} ref={one.ref} />}
        </div>
      ),
    }
  },
})
