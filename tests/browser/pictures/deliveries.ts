import { setTimeout as sleep } from 'node:timers/promises'
import { deliver, monitoringPayload } from '../../../src/modules/alerts/testing.ts'
import { type Client, clientOf } from '../../../src/testing/client.ts'
import { pushImage } from '../filled/images.ts'

type Delivery = {
  url: string
  root: Client
  rootToken: string
  /** The path of the project in the API, and where its images are. */
  at: string
  images: string
  moveTo(moment: string): void
}

type Job = { id: number; token: string; job_info: { name: string }; variables: { key: string; value: string }[] }

const pipelineOf = ({ variables }: Job) => Number(variables.find(({ key }) => key === 'CI_PIPELINE_ID')?.value)

const colour = (code: number, text: string) => `\u001b[${code}m${text}\u001b[0m`

/** What a runner writes of a job, up to the part that is still to come. */
const logOf = (name: string, seconds: number) =>
  [
    `section_start:${seconds}:prepare\r\u001b[0K${colour(36, 'Preparing the environment')}`,
    'Using Node 24.2.0 on harbour-runner-1',
    `section_end:${seconds + 2}:prepare\r\u001b[0K`,
    `section_start:${seconds + 2}:get_sources\r\u001b[0K${colour(36, 'Getting the sources')}`,
    'Fetching changes with git depth set to 20 ...',
    'Checking out the commit as detached HEAD ...',
    `section_end:${seconds + 5}:get_sources\r\u001b[0K`,
    `section_start:${seconds + 5}:script\r\u001b[0K${colour(36, 'Running the script')}`,
    colour(32, '$ npm ci'),
    'added 41 packages in 2s',
    colour(32, `$ npm run ${name}`),
    ...['constituents', 'gauges', 'levels', 'surges', 'turns'].map(
      (suite, index) => `${colour(32, '✔')} ${suite} ${colour(90, `(${(index + 3) * 17}.4ms)`)}`,
    ),
    `${colour(33, 'ℹ')} husum.test.ts waits for the gauge`,
    '',
  ].join('\n')

/** Runs the jobs of all pipelines one after another. The last of `branch` with the name `open` is left running. @returns its id */
export async function runPipelines(
  to: Delivery,
  start: string,
  { branch, open }: { branch: string; open: string },
): Promise<number> {
  const given = { runner_type: 'instance_type', description: 'harbour-runner-1' }
  const { token } = (await to.root.post('/user/runners', given)).body
  const program = clientOf(to.url, '')
  let moment = Date.parse(start)
  const pass = (seconds: number) => {
    moment += seconds * 1_000
    to.moveTo(new Date(moment).toISOString())
  }
  pass(0)
  const isBusy = async () => {
    const { body } = await to.root.get(`${to.at}/pipelines?per_page=100`)
    return (body as { id: number; status: string }[]).some(
      ({ id, status }) => id !== newest && ['created', 'pending', 'running'].includes(status),
    )
  }
  const [{ id: newest }] = (await to.root.get(`${to.at}/pipelines?ref=${branch}`)).body
  let left = 0
  // Jobs of later stages wait for the earlier ones, and for the server to notice.
  for (let idle = 0; idle < 40; ) {
    const { status, body: job } = await program.post('/jobs/request', { token })
    if (status === 201) {
      idle = 0
      const isLeft = job.job_info.name === open && pipelineOf(job) === newest
      if (isLeft) left = job.id
      await runJob(program, job, { pass, seconds: moment / 1_000, isLeft })
    } else {
      idle = (await isBusy()) ? 0 : idle + 1
      await sleep(50)
    }
  }
  return left
}

type Run = { pass(seconds: number): void; seconds: number; isLeft: boolean }

async function runJob(program: Client, job: Job, { pass, seconds, isLeft }: Run): Promise<void> {
  const log = Buffer.from(logOf(job.job_info.name, seconds))
  const headers = { 'JOB-TOKEN': job.token, 'Content-Range': `0-${log.length - 1}`, 'Content-Type': 'text/plain' }
  await program.patch(`/jobs/${job.id}/trace`, log.toString(), { headers })
  pass(14 + (job.id % 5) * 6)
  if (!isLeft) await program.put(`/jobs/${job.id}`, { token: job.token, state: 'success' })
}

/** Pushes the images of the project, each at its time. */
export async function pushImages({ url, rootToken, images, moveTo }: Delivery): Promise<void> {
  for (const [tag, moment] of [
    ['0.1.0', '2026-03-11T16:00:00Z'],
    ['0.2.0', '2026-03-11T16:05:00Z'],
    ['surge-1', '2026-03-12T09:30:00Z'],
    ['surge-2', '2026-03-12T12:00:00Z'],
    ['latest', '2026-03-12T12:01:00Z'],
  ] as const) {
    moveTo(moment)
    await pushImage(url, rootToken, images, tag)
  }
}

const summary = 'Forecasts of Husum are 40 cm too low'

/** An alert that Alertmanager sends three times, and its incident. */
export async function raiseAlert({ at }: Delivery, ada: Client): Promise<void> {
  const { body: hook } = await ada.post(`${at}/alert_management_integrations`, {
    name: 'Prometheus',
    type: 'prometheus',
  })
  const alert = {
    status: 'firing',
    labels: { alertname: 'ForecastTooLow', instance: 'husum', severity: 'critical', service: 'forecasts' },
    annotations: {
      summary,
      description: 'What was measured is above the forecast for thirty minutes.',
      runbook: 'https://harbour.example/runbooks/forecast-too-low',
    },
    startsAt: '2026-03-12T13:20:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus:9090/graph?g0.expr=level_measured+-+level_forecast+%3E+0.4',
    fingerprint: 'e82e2fac3af581ca',
  }
  for (let count = 0; count < 3; count += 1) {
    const { status } = await deliver(hook.url, hook.token, monitoringPayload([alert]))
    if (status !== 200) throw new Error(`the alert is refused: ${status}`)
  }
  await ada.post(`${at}/alert_management_alerts/1/incident`)
  await ada.put(`${at}/alert_management_alerts/1`, { status: 'acknowledged', assignee_usernames: ['ada'] })
}
