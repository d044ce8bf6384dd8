import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWithDeployments } from '../../src/modules/environments/testing.ts'
import { refusal } from './gitbeaker-refusal.ts'

/**
 * The acceptance walk of delivery (contract 24, steps 1, 4, 5, 16 to 20) with gitbeaker: environments, their protection, approvals of
 * deployments, status checks, approval rules and settings, pipelines of merge requests, Pages. `gitbeaker-delivery-rules.test.ts` has the rest.
 */
type Api = InstanceType<typeof Gitlab<false>>

const config = `
deploy:
  script: x
  environment: {name: production}
  rules: [{if: $CI_COMMIT_BRANCH == "main"}]
check:
  script: x
  rules: [{if: $CI_PIPELINE_SOURCE == "merge_request_event"}]
`

let at: Awaited<ReturnType<typeof startWithDeployments>>
let project: Awaited<ReturnType<typeof at.pushed>>
let api: Api
let theirs: Api
let reports: Api
let root: Api
let id: number
let groupId: number
let iid: number

const signedIn = (token: string) => new Gitlab({ host: at.server.url, token })

beforeAll(async () => {
  at = await startWithDeployments()
  const { owner, developer, reporter, server } = at
  project = await at.pushed(config)
  id = project.project.id
  ;[api, theirs, reports] = [signedIn(owner.token), signedIn(developer.token), signedIn(reporter.token)]
  root = signedIn(server.rootToken)
  groupId = (await server.make.group('delivery', owner)).id
  await theirs.Branches.create(id, 'topic', 'main')
  await theirs.RepositoryFiles.create(id, 'topic.txt', 'topic', 'x', 'Add topic.txt')
  iid = (await theirs.MergeRequests.create(id, 'topic', 'main', 'Topic')).iid
  await at.drain()
})
afterAll(() => at.server.stop())

const ended = { status: 'success' } as const
/** The newest commit of `main`. */
const head = async () => (await api.Branches.show(id, 'main')).commit.id

test('environments are created, stopped and deleted', async () => {
  const made = await theirs.Environments.create(id, 'review/fix-foo', { externalUrl: 'http://a.test/x' })
  expect(made).toMatchObject({ tier: 'development', state: 'available', external_url: 'http://a.test/x' })
  expect(made.slug).toMatch(/^review-fix-foo-[a-z0-9]{6}$/)
  expect(await refusal(theirs.Environments.create(id, 'review/fix-foo'))).toBe(400)
  expect(await refusal(reports.Environments.create(id, 'other'))).toBe(403)
  expect((await theirs.Environments.edit(id, made.id, { tier: 'testing' })).tier).toBe('testing')
  expect(await refusal(theirs.Environments.remove(id, made.id))).toBe(403)
  expect(await theirs.Environments.stop(id, made.id)).toMatchObject({ state: 'stopped' })
  await theirs.Environments.remove(id, made.id)
  expect(await refusal(theirs.Environments.show(id, made.id))).toBe(404)
  expect(await refusal(api.Environments.stopStale(id, '2026-02-28T12:00:00Z'))).toBe(400)
  expect(await api.Environments.stopStale(id, '2026-02-01T12:00:00Z')).toMatchObject({ message: expect.any(String) })
})

describe('a protected environment', () => {
  test('is created, changed and removed', async () => {
    const levels = [{ accessLevel: 40 as const }]
    const made = await api.ProjectProtectedEnvironments.create(id, 'staging', levels)
    expect(made).toMatchObject({ name: 'staging', deploy_access_levels: [{ access_level: 40 }] })
    expect(await refusal(api.ProjectProtectedEnvironments.create(id, 'staging', levels))).toBe(409)
    expect(await refusal(theirs.ProjectProtectedEnvironments.create(id, 'x', levels))).toBe(403)
    const stranger = await at.server.user('stranger')
    expect(await refusal(api.ProjectProtectedEnvironments.create(id, 'x', [{ userId: stranger.id }]))).toBe(422)
    const rules = [{ userId: at.reporter.id }]
    const edited = await api.ProjectProtectedEnvironments.edit(id, 'staging', { approvalRules: rules })
    expect(edited.approval_rules).toMatchObject([{ user_id: at.reporter.id, required_approvals: 1 }])
    expect(await api.ProjectProtectedEnvironments.show(id, 'staging')).toMatchObject({ name: 'staging' })
    expect((await api.ProjectProtectedEnvironments.all(id)).map(({ name }) => name)).toEqual(['staging'])
    await api.ProjectProtectedEnvironments.remove(id, 'staging')
    expect(await refusal(api.ProjectProtectedEnvironments.show(id, 'staging'))).toBe(404)
  })

  test('of a group is a tier', async () => {
    const levels = [{ accessLevel: 40 as const }]
    expect(await refusal(api.GroupProtectedEnvironments.create(groupId, 'x', levels))).toBe(422)
    const made = await api.GroupProtectedEnvironments.create(groupId, 'production', levels)
    expect(made).toMatchObject({ name: 'production', deploy_access_levels: [{ access_level: 40 }] })
    expect(await api.GroupProtectedEnvironments.all(groupId)).toHaveLength(1)
    await api.GroupProtectedEnvironments.remove(groupId, 'production')
  })

  test('lets deployments wait for approvals', async () => {
    const levels = [{ accessLevel: 40 as const }]
    const rules = [{ userId: at.reporter.id }]
    await api.ProjectProtectedEnvironments.create(id, 'production', levels, { approvalRules: rules })
    expect(await refusal(theirs.Deployments.create(id, 'production', await head(), 'main', false, ended))).toBe(403)
    const pipeline = await api.Pipelines.create(id, 'main')
    await at.drain()
    const [waiting] = await api.Deployments.all(id, { sort: 'desc', perPage: 1 } as never)
    expect(waiting).toMatchObject({ status: 'blocked', environment: { name: 'production' } })
    const deployment = waiting?.id ?? 0
    const [job] = await api.Jobs.all(id, { pipelineId: pipeline.id })
    expect(await refusal(api.Jobs.play(id, job?.id ?? 0))).toBe(400)
    expect(await refusal(api.Deployments.setApproval(id, deployment, 'approved'))).toBe(400)
    const approved = await reports.Deployments.setApproval(id, deployment, 'approved', { comment: 'LGTM' })
    expect(approved).toMatchObject({ status: 'approved', comment: 'LGTM', user: { id: at.reporter.id } })
    await api.Jobs.play(id, job?.id ?? 0)
    await project.run('deploy', 'success', pipeline.id)
    expect(await api.Deployments.show(id, deployment)).toMatchObject({ status: 'success' })
  })
})

test('deployments are made by the API and name what they brought', async () => {
  const sha = await head()
  const made = await theirs.Deployments.create(id, 'edge', sha, 'main', false, ended)
  expect(made).toMatchObject({ sha, ref: 'main', status: 'success', deployable: null })
  expect(await refusal(theirs.Deployments.create(id, 'edge', sha, 'nope', false, ended))).toBe(400)
  expect(await theirs.Deployments.allMergeRequests(id, made.id)).toEqual([])
  expect(await refusal(api.Deployments.remove(id, made.id))).toBe(400)
})

test('status checks are asked of programs outside', async () => {
  const made = await api.ExternalStatusChecks.create(id, 'MR blocker', 'https://example.com/mr-blocker')
  expect(made).toMatchObject({ name: 'MR blocker', external_url: 'https://example.com/mr-blocker' })
  expect(await api.ExternalStatusChecks.all(id)).toHaveLength(1)
  expect(await refusal(theirs.ExternalStatusChecks.all(id))).toBe(401)
  const [asked] = await api.ExternalStatusChecks.all(id, { mergerequestIId: iid })
  expect(asked).toMatchObject({ id: made.id, status: 'pending' })
  const { sha } = await api.MergeRequests.show(id, iid)
  expect(await refusal(api.ExternalStatusChecks.set(id, iid, 'f'.repeat(40), made.id, { status: 'passed' }))).toBe(409)
  await api.ExternalStatusChecks.set(id, iid, sha, made.id, { status: 'passed' })
  expect(await api.ExternalStatusChecks.all(id, { mergerequestIId: iid })).toMatchObject([{ status: 'passed' }])
  expect(await api.ExternalStatusChecks.edit(id, made.id, { name: 'Gate' })).toMatchObject({ name: 'Gate' })
  await api.ExternalStatusChecks.remove(id, made.id)
  expect(await api.ExternalStatusChecks.all(id)).toEqual([])
})

test('approval rules of a project and of a request, and the settings', async () => {
  const { MergeRequestApprovals: approvals } = api
  expect(await approvals.showConfiguration(id)).toMatchObject({ reset_approvals_on_push: true })
  const changed = await approvals.editConfiguration(id, { resetApprovalsOnPush: false } as never)
  expect(changed).toMatchObject({ reset_approvals_on_push: false })
  const rule = await approvals.createApprovalRule(id, 'security', 1, { userIds: [at.maintainer.id] } as never)
  expect(rule).toMatchObject({ name: 'security', approvals_required: 1, users: [{ id: at.maintainer.id }] })
  expect(await approvals.showApprovalRule(id, rule.id)).toMatchObject({ id: rule.id })
  expect(await approvals.allApprovalRules(id)).toMatchObject([{ name: 'security' }])
  expect(await approvals.editApprovalRule(id, rule.id, 'safety', 1)).toMatchObject({ name: 'safety' })
  const ofRequest = { mergerequestIId: iid, userIds: [at.owner.id] }
  const own = await approvals.createApprovalRule(id, 'of the request', 1, ofRequest as never)
  expect(own).toMatchObject({ name: 'of the request', users: [{ id: at.owner.id }] })
  const state = await approvals.showApprovalState(id, iid)
  expect(state).toMatchObject({ approval_rules_overwritten: true })
  expect(state.rules.map(({ name }) => name)).toEqual(['of the request'])
  expect(await approvals.approve(id, iid)).toMatchObject({ approved: true })
  await approvals.unapprove(id, iid)
  await approvals.editConfiguration(id, { disableOverridingApproversPerMergeRequest: true } as never)
  expect(await refusal(approvals.createApprovalRule(id, 'again', 1, ofRequest as never))).toBe(403)
  await approvals.editConfiguration(id, { disableOverridingApproversPerMergeRequest: false } as never)
  await approvals.removeApprovalRule(id, own.id, { mergerequestIId: iid })
  await approvals.removeApprovalRule(id, rule.id)
  expect(await approvals.allApprovalRules(id)).toEqual([])
})

test('a merge request has pipelines of its own', async () => {
  const before = await api.MergeRequests.allPipelines(id, iid)
  expect(before).toMatchObject([{ source: 'merge_request_event' }])
  const made = await theirs.MergeRequests.createPipeline(id, iid)
  expect(made).toMatchObject({ source: 'merge_request_event' })
  expect((await api.MergeRequests.allPipelines(id, iid)).map((one) => one.id)).toEqual([made.id, before[0]?.id])
  expect(await theirs.Pipelines.cancel(id, made.id)).toMatchObject({ id: made.id })
})

test('Pages', async () => {
  expect(await api.GitlabPages.showSettings(id)).toMatchObject({ is_unique_domain_enabled: true, deployments: [] })
  expect(await refusal(theirs.GitlabPages.showSettings(id))).toBe(403)
  const domain = await api.PagesDomains.create(id, 'www.example.test')
  expect(domain).toMatchObject({ domain: 'www.example.test', verified: false })
  expect(await api.PagesDomains.all({ projectId: id })).toHaveLength(1)
  expect(await refusal(api.PagesDomains.all())).toBe(403)
  expect(await root.PagesDomains.all()).toMatchObject([{ domain: 'www.example.test', project_id: id }])
  await api.PagesDomains.remove(id, 'www.example.test')
  await api.GitlabPages.remove(id)
})
