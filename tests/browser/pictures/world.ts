import { type Client, clientOf } from '../../../src/testing/client.ts'
import { pushImages, raiseAlert, runPipelines } from './deliveries.ts'
import { changes } from './history.ts'

export const password = 'korrekt-horse-9'
/** When the pictures are taken. */
export const today = '2026-03-12T14:30:00Z'

type World = { url: string; rootToken: string; moveTo(moment: string): void }

const people = { ada: 'Ada Weber', jonas: 'Jonas Lind', mei: 'Mei Tanaka', nils: 'Nils Brandt' } as const

const labels = [
  ['kind::bug', '#c0392b'],
  ['kind::wish', '#2471a3'],
  ['harbour', '#117a65'],
  ['good first issue', '#7d3c98'],
] as const

const issues = [
  ['ada', '2026-03-03T08:00:00Z', 'Harbours south of the equator turn at the wrong time', 'kind::bug'],
  ['mei', '2026-03-04T10:30:00Z', 'Storm surges are missing from forecasts', 'kind::bug,harbour'],
  ['jonas', '2026-03-06T16:20:00Z', 'Offer levels as a calendar', 'kind::wish'],
  ['jonas', '2026-03-09T11:00:00Z', 'Say which gauge a harbour uses', 'kind::wish,harbour,good first issue'],
  ['mei', '2026-03-11T09:45:00Z', 'Levels jump when daylight saving time begins', 'kind::bug'],
] as const

/** What the addresses of pictures name. */
export type Filled = { job: number; pipeline: number }

/** Makes the people, groups and projects of the pictures by the API, each thing at its time. */
export async function fillWorld({ url, rootToken, moveTo }: World): Promise<Filled> {
  const root = clientOf(url, rootToken)
  const made = async (client: Client, path: string, body: object) => {
    const answer = await client.post(path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const person = async (username: keyof typeof people) => {
    const account = { username, name: people[username], email: `${username}@tidewatch.example` }
    const { id } = await made(root, '/users', { ...account, password, skip_confirmation: true })
    const { token } = await made(root, `/users/${id}/personal_access_tokens`, { name: 'world', scopes: ['api'] })
    return { id, client: clientOf(url, token) }
  }
  moveTo('2026-03-01T09:00:00Z')
  const all = { ada: await person('ada'), jonas: await person('jonas'), mei: await person('mei') }
  const nils = await person('nils')
  const { ada, jonas, mei } = all
  const group = await made(ada.client, '/groups', {
    ...{ name: 'Harbour', path: 'harbour', visibility: 'public' },
    description: 'Software for small harbours, by those who moor there',
  })
  for (const { id } of [jonas, mei])
    await made(ada.client, `/groups/${group.id}/members`, { user_id: id, access_level: 40 })
  await made(ada.client, '/groups', {
    name: 'Gauges',
    path: 'gauges',
    parent_id: group.id,
    visibility: 'public',
    description: 'Drivers of water gauges',
  })
  const project = (name: string, description: string, visibility = 'public') =>
    made(ada.client, '/projects', {
      name,
      path: name.toLowerCase().replaceAll(' ', '-'),
      namespace_id: group.id,
      description,
      visibility,
    })
  await project('Website', 'The pages of harbour.example')
  const plans = await project('Mooring plans', 'Who lies where, and how deep', 'private')
  await made(ada.client, `/projects/${plans.id}/members`, { user_id: nils.id, access_level: 10 })
  const { id } = await project('Tidewatch', 'Water levels of the next days for small harbours')
  const at = `/projects/${id}`
  await made(ada.client, `${at}/milestones`, {
    title: '1.0',
    due_date: '2026-06-01',
    description: 'Good enough for the summer',
  })
  for (const [name, color] of labels) await made(ada.client, `${at}/labels`, { name, color })
  await fillRepository(at, { ada: ada.client, jonas: jonas.client, mei: mei.client }, moveTo, made)
  for (const [by, moment, title, named] of issues) {
    moveTo(moment)
    await made(all[by].client, `${at}/issues`, { title, labels: named, description: `${title}.\n\nSeen at **Husum**.` })
  }
  for (const title of ['Berth 4 is too shallow at low water', 'Who lies at the north pier in July?'])
    await made(nils.client, `/projects/${plans.id}/issues`, { title })
  const delivery = { url, root, rootToken, at, images: 'harbour/tidewatch/server', moveTo }
  await pushImages(delivery)
  moveTo('2026-03-12T12:05:00Z')
  await fillReview(at, all, made)
  await made(mei.client, `${at}/issues/2/notes`, { body: 'The branch `surge` has a first version.' })
  await fillSettings(at, ada.client, made)
  moveTo('2026-03-12T13:21:00Z')
  await raiseAlert(delivery, ada.client)
  const job = await runPipelines(delivery, '2026-03-12T14:05:00Z', { branch: 'surge', open: 'unit' })
  moveTo(today)
  const { pipeline } = (await root.get(`${at}/jobs/${job}`)).body
  return { job, pipeline: pipeline.id }
}

type People = Record<'ada' | 'jonas' | 'mei', { id: number; client: Client }>

/** A merge request of which one has approved, and another has asked about a line. */
async function fillReview(at: string, { ada, jonas, mei }: People, made: Make): Promise<void> {
  const request = await made(mei.client, `${at}/merge_requests`, {
    ...{ title: 'Correct forecasts by what was measured', source_branch: 'surge', target_branch: 'main' },
    ...{ description: 'A storm raises the water for some hours.\n\n- [x] levels\n- [ ] warnings\n\nCloses #2' },
    ...{ labels: 'kind::bug,harbour', reviewer_ids: [ada.id, jonas.id], assignee_id: mei.id },
  })
  const [changed] = changes.filter(({ branch }) => branch === 'surge')
  const lines = changed?.files['src/tides.ts']?.split('\n') ?? []
  const position = {
    ...{ ...request.diff_refs, position_type: 'text', old_path: 'src/tides.ts', new_path: 'src/tides.ts' },
    new_line: lines.findIndex((line) => line.includes('const share')) + 1,
  }
  const discussions = `${at}/merge_requests/${request.iid}/discussions`
  const asked = await made(ada.client, discussions, {
    body: 'Why **720** minutes? Surges at Büsum last longer.\n\n```suggestion\n    const share = Math.max(0, 1 - minutes / gauge.fading)\n```',
    position,
  })
  await made(mei.client, `${discussions}/${asked.id}/notes`, { body: 'Right, that belongs to the gauge.' })
  await made(jonas.client, `${at}/merge_requests/${request.iid}/approve`, {})
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers
type Make = (client: Client, path: string, body: object) => Promise<any>

async function fillRepository(
  at: string,
  clients: Record<'ada' | 'jonas' | 'mei', Client>,
  moveTo: (moment: string) => void,
  made: Make,
): Promise<void> {
  const known = new Set<string>()
  const branches = new Set(['main'])
  for (const { by, at: moment, message, branch = 'main', files } of changes) {
    moveTo(moment)
    const actions = Object.entries(files).map(([file_path, content]) => ({
      ...{ file_path, content },
      action: known.has(file_path) ? 'update' : 'create',
    }))
    for (const name of Object.keys(files)) known.add(name)
    const start = branches.has(branch) ? {} : { start_branch: 'main' }
    branches.add(branch)
    await made(clients[by], `${at}/repository/commits`, { branch, commit_message: message, actions, ...start })
    if (!message.startsWith('Release')) continue
    await made(clients[by], `${at}/releases`, {
      ...{ tag_name: 'v0.2.0', ref: 'main', name: 'Tidewatch 0.2.0' },
      description: '### New\n\n- Levels in the browser\n- Tests for every push\n\nThanks to all who measured.',
    })
  }
  await made(clients.jonas, `${at}/repository/branches`, { branch: 'calendar', ref: 'main' })
  await made(clients.mei, `${at}/wikis`, {
    title: 'home',
    content:
      '# Gauges\n\nHow to **read** a gauge, and [whom to ask](people).\n\n1. Look at the zero.\n2. Look at the mean.\n',
  })
  await made(clients.mei, `${at}/wikis`, { title: 'people', content: 'Harbour masters and their telephones.' })
  await made(clients.jonas, `${at}/snippets`, {
    ...{ title: 'Levels of a day as CSV', visibility: 'public' },
    files: [
      {
        file_path: 'day.ts',
        content:
          "for (const { at, height } of levels(husum, new Date(), 24)) {\n  console.log([at.toISOString(), height.toFixed(2)].join(','))\n}\n",
      },
    ],
  })
}

async function fillSettings(at: string, ada: Client, made: Make): Promise<void> {
  await made(ada, `${at}/variables`, {
    key: 'GAUGE_URL',
    value: 'https://gauges.example/v2',
    description: 'Where levels are measured',
  })
  await made(ada, `${at}/variables`, { key: 'DEPLOY_TOKEN', value: 'dt-4f1a9c2e77', protected: true, masked: true })
  await made(ada, `${at}/variables`, { key: 'RETENTION_DAYS', value: '30', environment_scope: 'production' })
  await made(ada, `${at}/hooks`, { url: 'https://chat.example/hooks/tides', push_events: true })
  await made(ada, `${at}/pipeline_schedules`, { description: 'Every night', ref: 'main', cron: '0 3 * * *' })
  await made(ada, `${at}/deploy_tokens`, {
    name: 'Harbour screens',
    scopes: ['read_repository'],
    expires_at: '2027-03-01T00:00:00Z',
  })
}
