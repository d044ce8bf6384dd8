import { notFound } from '../../../api/index.ts'
import { isObject } from '../../forms/schema.ts'
import { baseOf } from '../../frame/addresses.ts'
import { groupRunnersList, projectRunnersList, runnersAll, runnersCreate } from '../../operations.ts'
import { type Level, type Page, page, type Visit } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'
import { Copy } from '../../parts/parts.tsx'

/** Where the pages of the server begin, outside of it: runners reach it there. */
function serverUrl({ project, group, me }: Visit, at: Level): string {
  if (at === 'project') return project.web_url.slice(0, -project.path_with_namespace.length - 1)
  if (at === 'group') return group.web_url.slice(0, -`/groups/${group.full_path}`.length)
  return (me?.web_url ?? '').slice(0, -(me?.username.length ?? 0) - 1)
}

function callAt({ project, group }: Visit, at: Level): Record<string, string | number> {
  if (at === 'project') return { runner_type: 'project_type', project_id: project.id }
  return at === 'group' ? { runner_type: 'group_type', group_id: group.id } : { runner_type: 'instance_type' }
}

function mayManage(visit: Visit, at: Level): Promise<boolean> {
  if (at === 'project') return visit.may(projectRunnersList, { id: visit.project.id })
  return at === 'group' ? visit.may(groupRunnersList, { id: visit.group.id }) : visit.may(runnersAll, {})
}

const executors = [
  ['docker', 'In containers', ' --docker-image alpine:latest'],
  ['shell', 'As commands on its machine', ''],
] as const

/** The commands that register a new runner. The token is shown this once. */
function Registration({ url, token, address }: { url: string; token: string; address: string }) {
  const command = `gitlab-runner register --non-interactive --url ${url} --token ${token}`
  return (
    <div class="panel secret" role="status">
      <h2>Register the runner</h2>
      <p>
        Run one of these commands on its machine, where <code>gitlab-runner</code> is installed. The token is not shown
        again.
      </p>
      {executors.map(([executor, label, more]) => (
        <div class="field">
          <span>{label}</span>
          <Copy text={`${command} --executor ${executor}${more}`} label={`Command for the executor ${executor}`} />
        </div>
      ))}
      <div class="field">
        <span>The token alone</span>
        <Copy text={token} label="Token" />
      </div>
      <p>
        <code>gitlab-runner run</code> then takes jobs.
      </p>
      <div class="field">
        <span>Or with the runner that is a part of Fennec: jobs run as commands, with nothing else installed</span>
        <Copy text={`fennec runner --url ${url} --token ${token}`} label="Command for the runner of Fennec" />
      </div>
      <p>
        In a clone of Fennec, <code>npm start -- runner</code> stands for <code>fennec runner</code>.{' '}
        <a href={address}>All runners</a>
      </p>
    </div>
  )
}

const fields = ['description', 'tag_list', 'run_untagged'] as const
const furtherFields = ['paused', 'locked', 'access_level', 'maximum_timeout', 'maintenance_note'] as const
const labels: Readonly<Record<string, string>> = {
  tag_list: 'Tags',
  run_untagged: 'Takes jobs without tags',
  paused: 'Takes no jobs yet',
  locked: 'Cannot be assigned to further projects',
  access_level: 'For jobs of',
}
const hints: Readonly<Record<string, string>> = {
  tag_list: 'It takes jobs whose tags are all among these. One in each line.',
  maximum_timeout: 'Seconds; at least 600.',
}

const newRunner = (at: Level, path: string): Page =>
  page({
    at,
    path: `${path}/new`,
    performs: [runnersCreate],
    async show(visit) {
      // Who may create a runner is said when it runs; the list is of this place.
      if (!(await mayManage(visit, at))) throw notFound('Page')
      const address = `${baseOf(visit, at)}/${at === 'instance' ? '' : '-/'}${path}`
      const answer = visit.answered?.value
      const token = isObject(answer) ? String(answer.token) : null
      const field = (name: string) => (
        <Field
          visit={visit}
          operation={runnersCreate}
          name={name}
          options={{
            label: labels[name],
            hint: hints[name] ?? '',
            rows: name === 'description' ? 1 : undefined,
            value: name === 'run_untagged' ? true : undefined,
          }}
        />
      )
      return {
        title: 'New runner',
        crumbs: [['Runners', address]],
        body: token ? (
          <Registration url={serverUrl(visit, at)} token={token} address={address} />
        ) : (
          <Form visit={visit} performs={runnersCreate} call={callAt(visit, at)} shows class="stack">
            {fields.map(field)}
            <details class="more">
              <summary>More</summary>
              {furtherFields.map(field)}
            </details>
            <button class="primary">Create the runner</button>
          </Form>
        ),
      }
    },
  })

/** The forms for new runners of a project, of a group and of the server, with the command that registers one. */
export const newRunners = [
  newRunner('project', 'runners'),
  newRunner('group', 'runners'),
  newRunner('instance', 'admin/runners'),
]
