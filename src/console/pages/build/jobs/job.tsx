import {
  type JobObject,
  jobArtifactsDelete,
  jobArtifactsKeep,
  jobsDefinition,
  jobsErase,
  jobsGet,
  jobsPlay,
  pipelinesPlan,
} from '../../../operations.ts'
import { numberIn, page, type Visit } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do, Form } from '../../../parts/form.tsx'
import { withQuery } from '../../../parts/parts.tsx'
import { Refusal } from '../../../parts/refusal.tsx'
import { at } from '../../code/places.ts'
import { readDeployed } from '../../delivery/parts.tsx'
import { LogView, readLog } from '../log/view.tsx'
import { hasEnded, isBusy } from '../statuses.ts'
import { VariableRows } from '../variable-rows.tsx'
import { actOf, JobButtons, jobActs } from './actions.tsx'
import { ArtifactsFact } from './artifacts.tsx'
import { Facts } from './facts.tsx'

type Call = { id: number; job_id: number }

/** A manual job is started with variables, on its own page. */
function Play({ visit, call }: { visit: Visit; call: Call }) {
  return (
    <Form visit={visit} performs={jobsPlay} call={call} class="stack wide play">
      <VariableRows visit={visit} operation={jobsPlay} name="job_variables_attributes" />
      <button class="primary">Run the job</button>
    </Form>
  )
}

function Erase({ visit, job, call }: { visit: Visit; job: JobObject; call: Call }) {
  if (!hasEnded(job.status) || job.erased_at !== null) return <></>
  return (
    <Confirm label="Erase" question="Remove the log and the artifacts of this job?">
      <Do visit={visit} performs={jobsErase} call={call} kind="danger">
        Erase the job
      </Do>
    </Confirm>
  )
}

/** A job: its log, what is known of it, and what can be done with it. */
export const job = page({
  at: 'project',
  path: 'jobs/:job',
  performs: [...jobActs, jobsErase, jobArtifactsKeep, jobArtifactsDelete],
  async show(asked) {
    // The script reads the parts that make progress without the log, which it follows by bytes.
    const visit = { ...asked, path: withQuery(asked.path, { log: null }) }
    const call = { id: visit.project.id, job_id: numberIn(visit, 'job') }
    const one = await visit.read(jobsGet, call)
    const act = actOf(one.status)
    const [definition, plan, deployed, mayRun, mayAct] = await Promise.all([
      visit.find(jobsDefinition, call),
      visit.read(pipelinesPlan, { id: call.id, pipeline_id: one.pipeline.id }),
      readDeployed(visit, { job_id: one.id }),
      visit.may(jobsErase, call),
      act ? visit.may(act.operation, call) : false,
    ])
    // What buttons are refused for stands above them.
    const quiet = { ...visit, refused: null }
    const isPlayable = mayAct && act?.operation === jobsPlay
    const log = visit.query.log === 'none' ? null : await readLog(visit, one)
    return {
      title: one.name,
      crumbs: [
        ['Pipelines', at(visit, 'pipelines')],
        [`#${one.pipeline.id}`, at(visit, `pipelines/${one.pipeline.id}`)],
      ],
      refreshes: isBusy(one.status) && `${at(visit, `jobs/${one.id}`)}?log=none`,
      actions: mayRun && (
        <>
          {mayAct && <JobButtons visit={quiet} job={one} />}
          <Erase visit={quiet} job={one} call={call} />
        </>
      ),
      body: (
        <div class="two job-page">
          <div>
            <Refusal visit={visit} except={isPlayable ? jobsPlay : undefined} />
            {isPlayable && <Play visit={visit} call={call} />}
            {log && <LogView visit={visit} job={one} log={log} />}
          </div>
          <aside id="job-facts" data-live="">
            <ArtifactsFact visit={quiet} job={one} mayRun={mayRun} />
            <Facts visit={visit} job={one} definition={definition} plan={plan} deployed={deployed} />
          </aside>
        </div>
      ),
    }
  },
})
