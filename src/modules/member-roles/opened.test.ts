/** What each permission of a member role opens: exactly these operations, beyond those of the base level (contract 25). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failure, type Operation } from '../../api/index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { type Permission, permissionNames } from '../access/index.ts'

let server: TestServer
let called: { operation: Operation; path: string }[]
let person: Person

beforeAll(async () => {
  server = await startTestServer({ isOwn: true })
  const owner = await server.user('owner')
  const top = await server.make.group('top', owner)
  const below = await server.make.group('below', owner, { parent: top })
  const project = await server.make.project('p', owner, { namespace: below })
  person = await server.user('person')
  await server.make.member({ namespace: top }, person, 10)
  for (const operation of server.app.operations) {
    operation.run = () => Promise.reject(failure(418, 'passed'))
  }
  const ids: Record<string, number> = { project: project.id, group: below.id }
  const judged = server.app.operations.filter(
    ({ subject, ownAuthentication }) => subject.name in ids && !subject.nested && !ownAuthentication,
  )
  const opening = new Set(Object.values(opened).flatMap(namesIn))
  const keyOf = ({ id, subject, allow }: Operation) => (opening.has(id) ? id : `${subject.name} ${allow}`)
  // All that a permission opens, and one operation of each ability besides.
  called = [...new Map(judged.map((operation) => [keyOf(operation), operation])).values()].map((operation) => {
    const id = ids[operation.subject.name]
    const path = operation.path.replace(/:(\w+)/g, (_, name) => String(name === 'id' ? id : 1))
    return { operation, path: operation.root ? `root:${path}` : path }
  })
})
afterAll(() => server.stop())

/** Gives the person a role with one permission, or none. */
async function permit(permission: Permission | null): Promise<void> {
  await server.app.platform.database.write(async (tx) => {
    await tx.updateTable('members').set({ member_role_id: null }).where('user_id', '=', person.id).execute()
    if (!permission) return
    const role = {
      ...{ namespace_id: null, name: permission, base_access_level: 10, created_at: '2026-01-01T00:00:00.000Z' },
      permissions: JSON.stringify([permission]),
    }
    const { id } = await tx.insertInto('member_roles').values(role).returning('id').executeTakeFirstOrThrow()
    await tx.updateTable('members').set({ member_role_id: id }).where('user_id', '=', person.id).execute()
  })
}

async function answers(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { operation, path } of called) {
    const { status, body } = await person.request(operation.method, path)
    found.set(operation.id, `${status} ${JSON.stringify(body)}`)
  }
  return found
}

/** The operations by family; permissions without any open none. */
const opened: Partial<Record<Permission, Readonly<Record<string, string>>>> = {
  admin_cicd_variables: {
    group_variables: 'create delete get list update',
    project_variables: 'create delete get list update',
  },
  admin_group_member: {
    group_access_requests: 'approve list',
    group_invitations: 'create delete get list resend update',
    group_members: 'add update',
  },
  admin_integrations: {
    group_integrations: 'delete get list set',
    project_integrations: 'delete get list set',
  },
  admin_protected_branch: {
    branches: 'protect unprotect',
    group_protected_branches: 'create delete get list update',
    protected_branches: 'create delete get list update',
  },
  admin_push_rules: {
    group_push_rules: 'create delete get update',
    project_push_rules: 'create delete get update',
  },
  admin_runners: {
    group_runners: 'list reset_registration_token',
    project_runners: 'assign list reset_registration_token unassign',
  },
  admin_terraform_state: {
    terraform_state_versions: 'delete get list',
    terraform_states: 'delete get list lock put unlock',
  },
  admin_web_hook: {
    group_hooks:
      'create delete delete_custom_header delete_url_variable get list list_events resend_event set_custom_header set_url_variable test update',
    project_hooks:
      'create delete delete_custom_header delete_url_variable get list list_events resend_event set_custom_header set_url_variable test update',
  },
  archive_project: {
    projects: 'archive unarchive',
  },
  manage_deploy_tokens: {
    group_deploy_tokens: 'create delete get list',
    project_deploy_tokens: 'create delete get list',
  },
  manage_group_access_tokens: {
    group_access_tokens: 'create delete get list rotate',
  },
  manage_merge_request_settings: {
    approval_rules: 'create delete get list update',
    group_approval_rules: 'create get list update',
    group_approval_setting: 'get update',
    project_approval_setting: 'get update',
    project_approvals: 'get update',
    projects: 'update',
  },
  manage_project_access_tokens: {
    project_access_tokens: 'create delete get list rotate',
  },
  read_code: {
    branches: 'exists get list',
    changelog: 'render',
    ci_lint: 'get',
    commits: 'diff get list merge_requests refs sequence signature statuses',
    files: 'blame blame_head find get head raw',
    projects: 'languages',
    release_links: 'get list',
    releases: 'download_asset get latest',
    repository: 'archive archive_by_suffix blob commit_activity compare contributors merge_base raw_blob tree',
    tags: 'get list signature',
  },
  read_runners: {
    group_runners: 'list',
    project_runners: 'list',
  },
  remove_group: {
    groups: 'delete restore',
  },
  remove_project: {
    projects: 'delete restore',
  },
}

const namesIn = (families: Readonly<Record<string, string>> = {}) =>
  Object.entries(families).flatMap(([family, names]) => names.split(' ').map((name) => `${family}.${name}`))

test('each permission opens its operations and no others', async () => {
  await permit(null)
  const before = await answers()
  expect(before.size).toBeGreaterThan(200)
  for (const permission of permissionNames) {
    await permit(permission)
    const after = await answers()
    const found = [...after].flatMap(([id, answer]) => (before.get(id) === answer ? [] : [id]))
    expect(found.toSorted(), permission).toEqual(namesIn(opened[permission]).toSorted())
  }
}, 240_000)
