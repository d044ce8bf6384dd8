/** Every field of every type has the value that the operations of the API show to the same caller, or is null. */
import { buildSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, onPostgres, type People, startTestServer, type TestServer } from '../../testing/index.ts'
import { makePlace, openRequest, type Place } from '../merge-requests/testing.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import { text, types } from './schema/schema.ts'
import { ask, dataOf } from './testing.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON
type Json = any

let server: TestServer
let group: NamespaceRow
let hidden: Place
let open: Place
/** Everyone who asks, by name. */
let callers: Record<string, Client>

async function made(answer: ReturnType<Client['post']>) {
  const { status, body } = await answer
  expect([status, status === 201 ? null : body]).toEqual([201, null])
  return body
}

/** Gives a project one of everything. */
async function fill({ maintainer, developer, base, tree, ...place }: Place) {
  await made(maintainer.post(`${base}/labels`, { name: 'bug', color: '#ff0000', description: 'Broken' }))
  const milestone = await made(
    maintainer.post(`${base}/milestones`, { title: 'v1', start_date: '2026-01-01', due_date: '2026-02-03' }),
  )
  const classified = { labels: 'bug', milestone_id: milestone.id, assignee_ids: [developer.id], description: 'Text' }
  await made(developer.post(`${base}/issues`, { title: 'An issue', ...classified }))
  await made(developer.post(`${base}/issues`, { title: 'A secret', confidential: true }))
  const request = await openRequest({ maintainer, developer, base, tree, ...place }, 'topic', undefined, {
    ...classified,
    reviewer_ids: [maintainer.id],
  })
  const status = { state: 'success', ref: 'topic' }
  await made(developer.post(`${base}/statuses/${request.sha}`, status))
}

beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('keeper')
  group = await server.make.group('held', owner)
  await server.make.group('inner', owner, { parent: group })
  await made(owner.post(`/groups/${group.id}/labels`, { name: 'shared', color: '#00ff00' }))
  await made(owner.post(`/groups/${group.id}/milestones`, { title: 'Shared' }))
  hidden = await makePlace(server, { namespace: group })
  open = await makePlace(server, { people: hidden, visibility: 'public' })
  await fill(hidden)
  await fill(open)
  await server.root.put(`/projects/${open.project.id}`, { topics: ['one', 'two'], description: 'Öpen' })
  const { owner: inside, maintainer, developer, reporter, guest, outsider }: People = hidden
  callers = {
    owner,
    inside,
    maintainer,
    developer,
    reporter,
    guest,
    outsider,
    root: server.root,
    anonymous: server.anonymous,
  }
})
afterAll(async () => {
  await hidden?.tree[Symbol.asyncDispose]()
  await open?.tree[Symbol.asyncDispose]()
  await server?.stop()
})

const gid = (type: string, id: number) => `gid://gitlab/${type}/${id}`
const moment = (day: string | null) => day && `${day}T00:00:00.000Z`

/** What REST shows, by the names of fields. */
const expected: Record<string, Record<string, (rest: Json) => unknown>> = {
  UserCore: {
    id: ({ id }) => gid('User', id),
    username: ({ username }) => username,
    name: ({ name }) => name,
    state: ({ state }) => state,
    active: ({ state }) => state === 'active',
    publicEmail: ({ public_email }) => public_email,
    email: ({ public_email }) => public_email,
    avatarUrl: ({ avatar_url }) => avatar_url,
    webUrl: ({ web_url }) => web_url,
    webPath: ({ username }) => `/${username}`,
  },
  /** Of one user alone. */
  UserDetail: {
    bot: ({ bot }) => bot,
    location: ({ location }) => location,
    createdAt: ({ created_at }) => created_at,
    lastActivityOn: ({ last_activity_on }) => last_activity_on,
  },
  Project: {
    id: ({ id }) => gid('Project', id),
    name: ({ name }) => name,
    path: ({ path }) => path,
    fullPath: ({ path_with_namespace }) => path_with_namespace,
    nameWithNamespace: ({ name_with_namespace }) => name_with_namespace,
    description: ({ description }) => description,
    visibility: ({ visibility }) => visibility,
    archived: ({ archived }) => archived,
    createdAt: ({ created_at }) => created_at,
    lastActivityAt: ({ last_activity_at }) => last_activity_at,
    webUrl: ({ web_url }) => web_url,
    avatarUrl: ({ avatar_url }) => avatar_url,
    sshUrlToRepo: ({ ssh_url_to_repo }) => ssh_url_to_repo,
    httpUrlToRepo: ({ http_url_to_repo }) => http_url_to_repo,
    starCount: ({ star_count }) => star_count,
    forksCount: ({ forks_count }) => forks_count,
    openIssuesCount: ({ open_issues_count }) => open_issues_count,
    topics: ({ topics }) => topics,
  },
  Group: {
    id: ({ id }) => gid('Group', id),
    name: ({ name }) => name,
    path: ({ path }) => path,
    fullPath: ({ full_path }) => full_path,
    fullName: ({ full_name }) => full_name,
    description: ({ description }) => description,
    visibility: ({ visibility }) => visibility,
    webUrl: ({ web_url }) => web_url,
    avatarUrl: ({ avatar_url }) => avatar_url,
    createdAt: ({ created_at }) => created_at,
  },
  Issue: {
    id: ({ id }) => gid('Issue', id),
    iid: ({ iid }) => String(iid),
    title: ({ title }) => title,
    description: ({ description }) => description,
    state: ({ state }) => state,
    webUrl: ({ web_url }) => web_url,
    createdAt: ({ created_at }) => created_at,
    updatedAt: ({ updated_at }) => updated_at,
    closedAt: ({ closed_at }) => closed_at,
    confidential: ({ confidential }) => confidential,
  },
  MergeRequest: {
    id: ({ id }) => gid('MergeRequest', id),
    iid: ({ iid }) => String(iid),
    title: ({ title }) => title,
    description: ({ description }) => description,
    state: ({ state }) => state,
    webUrl: ({ web_url }) => web_url,
    createdAt: ({ created_at }) => created_at,
    updatedAt: ({ updated_at }) => updated_at,
    closedAt: ({ closed_at }) => closed_at,
    sourceBranch: ({ source_branch }) => source_branch,
    targetBranch: ({ target_branch }) => target_branch,
    draft: ({ draft }) => draft,
    mergedAt: ({ merged_at }) => merged_at,
    diffHeadSha: ({ sha }) => sha,
  },
  Label: {
    id: ({ id }) => gid('Label', id),
    title: ({ name }) => name,
    description: ({ description }) => description,
    color: ({ color }) => color,
    textColor: ({ text_color }) => text_color,
  },
  Milestone: {
    id: ({ id }) => gid('Milestone', id),
    iid: ({ iid }) => String(iid),
    title: ({ title }) => title,
    description: ({ description }) => description,
    state: ({ state }) => state,
    webUrl: ({ web_url }) => web_url,
    startDate: ({ start_date }) => moment(start_date),
    dueDate: ({ due_date }) => moment(due_date),
    createdAt: ({ created_at }) => created_at,
    updatedAt: ({ updated_at }) => updated_at,
  },
  Pipeline: {
    id: ({ id }) => gid('Ci::Pipeline', id),
    iid: ({ iid }) => String(iid),
    status: ({ status }) => status.toUpperCase(),
    ref: ({ ref }) => ref,
    sha: ({ sha }) => sha,
    createdAt: ({ created_at }) => created_at,
  },
  Member: {
    accessLevel: ({ access_level }) => ({ integerValue: access_level }),
    createdAt: ({ created_at }) => created_at,
    expiresAt: ({ expires_at }) => moment(expires_at),
  },
}
/** Fields that other tests compare: objects, lists, and what the API does not say by one member. */
const elsewhere: Record<string, string[]> = {
  CurrentUser: ['groupCount', 'namespace', 'groupMemberships', 'projectMemberships'],
  UserCore: ['groupCount', 'namespace', 'groupMemberships', 'projectMemberships'],
  Project: [
    ...['namespace', 'group', 'repository', 'issue', 'issues', 'mergeRequest', 'mergeRequests', 'labels', 'milestones'],
    ...['pipelines', 'projectMembers', 'userPermissions'],
  ],
  Group: ['parent', 'projects', 'descendantGroups', 'groupMembers', 'labels', 'milestones'],
  Issue: ['author', 'assignees', 'labels', 'milestone'],
  MergeRequest: ['author', 'assignees', 'labels', 'milestone', 'reviewers', 'headPipeline'],
  GroupMember: ['id', 'user', 'group'],
  ProjectMember: ['id', 'user', 'project'],
}
const isWhole = [
  'Query',
  'Repository',
  'ProjectPermissions',
  'Namespace',
  'AccessLevel',
  'Metadata',
  'Kas',
  'FeatureFlag',
  'QueryComplexity',
]

/** The fields of a type as a selection. */
const fieldsOf = (type: string) =>
  Object.keys(expected[type] as object)
    .map((name) => (name === 'accessLevel' ? 'accessLevel{integerValue}' : name))
    .join(' ')

/** An object of REST by the fields of a type; what it does not have is null. */
const shown = (type: string, rest: Json) =>
  rest &&
  Object.fromEntries(Object.entries(expected[type] as object).map(([name, value]) => [name, value(rest) ?? null]))

async function restOf(client: Client, path: string): Promise<Json> {
  const { status, body } = await client.get(path)
  return status === 200 ? body : null
}

describe('the schema', () => {
  test('is valid, and its fields are all compared here', () => {
    expect(() => buildSchema(text())).not.toThrow()
    const alike: Record<string, string[]> = {
      CurrentUser: ['UserCore', 'UserDetail'],
      UserCore: ['UserCore', 'UserDetail'],
      GroupMember: ['Member'],
      ProjectMember: ['Member'],
    }
    for (const { name, fields } of types.filter((type) => !isWhole.includes(type.name))) {
      const compared = (alike[name] ?? [name]).flatMap((type) => Object.keys(expected[type] ?? {}))
      expect([name, Object.keys(fields).toSorted()]).toEqual([
        name,
        [...compared, ...(elsewhere[name] ?? [])].toSorted(),
      ])
    }
  })
})

const everyone = ['owner', 'inside', 'maintainer', 'developer', 'reporter', 'guest', 'outsider', 'root', 'anonymous']
/** Of both engines the same operations are asked: on PostgreSQL by a caller of each kind. */
const asking = onPostgres ? ['inside', 'guest', 'root', 'anonymous'] : everyone

describe.each(asking)('to %s', (name) => {
  const client = () => callers[name] as Client
  const places = () => [hidden, open]

  test('a project shows what REST shows', async () => {
    for (const { path, project } of places()) {
      const rest = await restOf(client(), `/projects/${project.id}`)
      const nested = 'namespace{id name path fullPath fullName visibility} group{id} repository{rootRef empty exists}'
      const permissions = 'userPermissions{readProject pushCode adminProject}'
      const query = `query($p: ID!, $ids: [ID!]) {
        project(fullPath: $p) {${fieldsOf('Project')} ${nested} ${permissions}} projects(ids: $ids) {nodes{id}} }`
      const data = await dataOf(client(), query, { p: path, ids: [gid('Project', project.id)] })
      expect(data.projects.nodes).toEqual(rest ? [{ id: gid('Project', project.id) }] : [])
      if (!rest) {
        expect(data.project).toBeNull()
        continue
      }
      const { namespace, group: shownGroup, repository, userPermissions, ...plain } = data.project
      expect(plain).toEqual(shown('Project', rest))
      const restGroup = rest.namespace.kind === 'group' ? await restOf(client(), `/groups/${rest.namespace.id}`) : null
      expect(shownGroup).toEqual(restGroup && { id: gid('Group', restGroup.id) })
      const isPersonal = rest.namespace.kind === 'user'
      expect(namespace).toEqual({
        id: gid(isPersonal ? 'Namespaces::UserNamespace' : 'Group', rest.namespace.id),
        ...{ name: rest.namespace.name, path: rest.namespace.path, fullPath: rest.namespace.full_path },
        fullName: isPersonal ? rest.namespace.name : (restGroup?.full_name ?? null),
        visibility: isPersonal ? 'public' : (restGroup?.visibility ?? null),
      })
      expect(repository).toEqual(
        'default_branch' in rest
          ? { rootRef: rest.default_branch, empty: rest.empty_repo ?? null, exists: true }
          : null,
      )
      const level = Math.max(
        rest.permissions?.project_access?.access_level ?? 0,
        rest.permissions?.group_access?.access_level ?? 0,
      )
      const isRoot = name === 'root'
      expect(userPermissions).toEqual({
        readProject: true,
        pushCode: isRoot || level >= 30,
        adminProject: isRoot || level >= 40,
      })
    }
  })

  test('the lists of a project have what REST has', async () => {
    const lists = [
      ['issues', 'Issue', 'issues?order_by=created_at'],
      ['mergeRequests', 'MergeRequest', 'merge_requests?order_by=created_at'],
      ['labels', 'Label', 'labels?'],
      ['milestones', 'Milestone', 'milestones?'],
      ['pipelines', 'Pipeline', 'pipelines?'],
      ['projectMembers', 'Member', 'members/all?'],
    ] as const
    for (const { path, project } of places()) {
      for (const [field, type, address] of lists) {
        const rest = await restOf(client(), `/projects/${project.id}/${address}`)
        const query = `query($p: ID!) {project(fullPath: $p) {${field} {count nodes{${fieldsOf(type)}}}}}`
        const { project: found } = await dataOf(client(), query, { p: path })
        const nodes = rest?.map((one: Json) => shown(type, one))
        expect([path, field, found?.[field] ?? null]).toEqual([path, field, rest && { count: rest.length, nodes }])
      }
    }
  })

  test('an issue and a merge request show what REST shows', async () => {
    for (const { path, project } of places()) {
      const people = `(first: 20) {nodes{${fieldsOf('UserCore')}}}`
      const common = `author{${fieldsOf('UserCore')}} assignees${people} labels(first: 20) {nodes{${fieldsOf('Label')}}} milestone{${fieldsOf('Milestone')}}`
      const query = `query($p: ID!) { project(fullPath: $p) {
        issue(iid: "1") {${fieldsOf('Issue')} ${common}} secret: issue(iid: "2") {title} none: issue(iid: "99") {title}
        mergeRequest(iid: "1") {${fieldsOf('MergeRequest')} ${common} reviewers${people} headPipeline{${fieldsOf('Pipeline')}}} } }`
      const { project: found } = await dataOf(client(), query, { p: path })
      const base = `/projects/${project.id}`
      const issue = await restOf(client(), `${base}/issues/1`)
      const request = await restOf(client(), `${base}/merge_requests/1`)
      const secret = await restOf(client(), `${base}/issues/2`)
      if (!(await restOf(client(), base))) {
        expect(found).toBeNull()
        continue
      }
      const labels = (await restOf(callers.inside as Client, `${base}/labels?search=bug`)).map((one: Json) =>
        shown('Label', one),
      )
      const refers = (rest: Json) => ({
        author: shown('UserCore', rest.author),
        assignees: { nodes: rest.assignees.map((one: Json) => shown('UserCore', one)) },
        labels: { nodes: labels },
        milestone: shown('Milestone', rest.milestone),
      })
      expect(found.issue).toEqual(issue && { ...shown('Issue', issue), ...refers(issue) })
      expect(found.secret).toEqual(secret && { title: 'A secret' })
      expect(found.none).toBeNull()
      const pipeline = request && (await restOf(client(), `${base}/pipelines/${request.head_pipeline?.id}`))
      expect(found.mergeRequest).toEqual(
        request && {
          ...{ ...shown('MergeRequest', request), ...refers(request) },
          reviewers: { nodes: request.reviewers.map((one: Json) => shown('UserCore', one)) },
          headPipeline: shown('Pipeline', pipeline),
        },
      )
    }
  })

  test('issues and merge requests are found by their ids', async () => {
    for (const { project } of places()) {
      const all = callers.inside as Client
      const [issue] = await restOf(all, `/projects/${project.id}/issues?iids[]=2`)
      const [request] = await restOf(all, `/projects/${project.id}/merge_requests?iids[]=1`)
      const query = 'query($i: IssueID!, $m: MergeRequestID!) {issue(id: $i) {title} mergeRequest(id: $m) {title}}'
      const data = await dataOf(client(), query, { i: gid('Issue', issue.id), m: gid('MergeRequest', request.id) })
      const titleAt = async (path: string) => {
        const rest = await restOf(client(), `/projects/${project.id}/${path}`)
        return rest && { title: rest.title }
      }
      expect(data).toEqual({ issue: await titleAt('issues/2'), mergeRequest: await titleAt('merge_requests/1') })
    }
  })

  test('a group shows what REST shows', async () => {
    const lists = [
      ['projects', 'Project', 'projects?with_shared=false&order_by=id'],
      ['descendantGroups', 'Group', 'descendant_groups?all_available=true'],
      ['groupMembers', 'Member', 'members/all?'],
      ['labels', 'Label', 'labels?'],
      ['milestones', 'Milestone', 'milestones?'],
    ] as const
    for (const path of ['held', 'held/inner', 'nowhere']) {
      const rest = await restOf(client(), `/groups/${encodeURIComponent(path)}`)
      const query = `query($p: ID!) { group(fullPath: $p) {
        ${fieldsOf('Group')} parent{${fieldsOf('Group')}}
        ${lists.map(([field, type]) => `${field}(first: 20) {count nodes{${fieldsOf(type)}}}`).join(' ')} }
        namespace(fullPath: $p) {id name path fullPath fullName visibility} }`
      const { group: found, namespace } = await dataOf(client(), query, { p: path })
      const restNamespace = await restOf(client(), `/namespaces/${encodeURIComponent(path)}`)
      expect([path, namespace?.fullPath ?? null]).toEqual([path, restNamespace?.full_path ?? null])
      if (!rest) {
        expect([path, found]).toEqual([path, null])
        continue
      }
      const of: Record<string, unknown> = {}
      for (const [field, type, address] of lists) {
        const listed = await restOf(client(), `/groups/${rest.id}/${address}`)
        of[field] = listed && { count: listed.length, nodes: listed.map((one: Json) => shown(type, one)) }
      }
      const parent = rest.parent_id && shown('Group', await restOf(client(), `/groups/${rest.parent_id}`))
      expect(found).toEqual({ ...shown('Group', rest), ...of, parent })
    }
  })

  test('users show what REST shows', async () => {
    const { developer } = hidden
    const names = `${fieldsOf('UserCore')} ${fieldsOf('UserDetail')}`
    const query = `query($id: UserID!, $name: String!) {
      byId: user(id: $id) {${names}} byName: user(username: $name) {${names}}
      users(search: $name) {count nodes{${fieldsOf('UserCore')}}} none: user(username: "nobody-here") {name} }`
    const variables = { id: gid('User', developer.id), name: developer.username }
    const data = await dataOf(client(), query, variables)
    const single = await restOf(client(), `/users/${developer.id}`)
    const [listed = null] = (await restOf(client(), `/users?username=${developer.username}`)) ?? []
    const both = (rest: Json, detail: Json) => ({ ...shown('UserCore', rest), ...shown('UserDetail', detail) })
    // Callers see more of themselves.
    const own = name === 'developer' ? await restOf(client(), '/user') : single
    expect(data.byId).toEqual(single && both(single, { ...own }))
    expect(data.byName).toEqual(listed && both(listed, own ?? {}))
    expect(data.none).toBeNull()
    const found = await restOf(client(), `/users?search=${developer.username}&order_by=id`)
    expect(data.users).toEqual(
      found && { count: found.length, nodes: found.map((one: Json) => shown('UserCore', one)) },
    )
  })

  test('the caller shows what REST shows', async () => {
    const memberships = (of: string) =>
      `{count nodes{accessLevel{integerValue stringValue} user{username} createdAt expiresAt ${of}}}`
    const query = `{ currentUser {
      ${fieldsOf('UserCore')} ${fieldsOf('UserDetail')} groupCount namespace{fullPath fullName visibility}
      groupMemberships ${memberships('group{fullPath}')} projectMemberships ${memberships('project{fullPath}')} } }`
    const { currentUser } = await dataOf(client(), query)
    const rest = await restOf(client(), '/user')
    if (!rest) return expect(currentUser).toBeNull()
    const { groupCount, namespace, groupMemberships, projectMemberships, ...plain } = currentUser
    expect(plain).toEqual({ ...shown('UserCore', rest), ...shown('UserDetail', rest) })
    expect(namespace).toEqual({ fullPath: rest.username, fullName: expect.any(String), visibility: 'public' })
    expect(groupCount).toBe((await restOf(client(), '/groups?all_available=false')).length)
    const all = await restOf(server.root, `/users/${rest.id}/memberships`)
    const levels = (type: string) =>
      all.filter((one: Json) => one.source_type === type).map((one: Json) => one.access_level)
    const levelsIn = ({ nodes }: Json) => nodes.map((one: Json) => one.accessLevel.integerValue)
    expect(levelsIn(groupMemberships)).toEqual(levels('Namespace'))
    expect(levelsIn(projectMemberships)).toEqual(levels('Project'))
    expect(projectMemberships.count).toBe(levels('Project').length)
    for (const { user, project } of projectMemberships.nodes) {
      expect([user.username, project.fullPath]).toEqual([rest.username, expect.stringContaining('place-')])
    }
  })

  test('the server shows what REST shows', async () => {
    const query =
      '{metadata{version revision enterprise kas{enabled externalUrl version} featureFlags(names: ["no_such"]) {name enabled}}}'
    const { metadata } = await dataOf(client(), query)
    const rest = await restOf(client(), '/metadata')
    const { externalK8sProxyUrl: _, ...kas } = rest?.kas ?? {}
    const flags = name === 'root' ? [{ name: 'no_such', enabled: false }] : null
    const { version, revision, enterprise } = rest ?? {}
    expect(metadata).toEqual(rest && { version, revision, enterprise, kas, featureFlags: flags })
  })
})

describe('others', () => {
  test('are not shown the groups and memberships of a user', async () => {
    const query =
      '{user(username: "keeper") {username groupCount groupMemberships{count} projectMemberships{count} namespace{name}}}'
    const { user } = await dataOf(hidden.outsider, query)
    expect(user).toEqual({
      username: 'keeper',
      groupCount: null,
      groupMemberships: null,
      projectMemberships: null,
      namespace: null,
    })
    expect((await dataOf(server.root, query)).user.groupMemberships).toEqual({ count: 2 })
  })

  test('find nothing of a private group by any query', async () => {
    for (const client of [hidden.outsider, server.anonymous]) {
      const query = `query($ids: [ID!]) {
        groups(search: "held") {count nodes{fullPath}} projects(search: "place") {nodes{fullPath}}
        byPath: projects(fullPaths: ["held/${hidden.project.path}", "${open.path}"]) {nodes{fullPath}} byId: projects(ids: $ids) {count}
        mine: projects(membership: true) {nodes{fullPath}} }`
      const { data } = await ask(client, query, { ids: [gid('Project', hidden.project.id)] })
      expect(data).toEqual({
        groups: { count: 0, nodes: [] },
        projects: { nodes: [{ fullPath: open.path }] },
        byPath: { nodes: [{ fullPath: open.path }] },
        byId: { count: 0 },
        mine: { nodes: client.token ? [] : [{ fullPath: open.path }] },
      })
    }
  })

  test('are shown no more once a membership has ended', async () => {
    const { project, owner, guest, path } = hidden
    const query = 'query($p: ID!) {project(fullPath: $p) {name}}'
    expect((await dataOf(guest, query, { p: path })).project).toEqual({ name: project.name })
    expect((await owner.delete(`/projects/${project.id}/members/${guest.id}`)).status).toBe(204)
    expect((await dataOf(guest, query, { p: path })).project).toBeNull()
  })
})
