/** How integrations are set up, and members get roles with permissions. */
import { beforeAll, expect, test } from 'vitest'
import { signIn, textOf } from '../browser.ts'
import { declareFlows } from './testing.ts'

declareFlows((flow) => {
  const { name } = flow
  const path = `team-${name}`
  const inProject = `/${path}/${name}/-/settings/integrations`
  const inGroup = `/groups/${path}/-/settings/integrations`
  const integration = async () => (await flow.server.root.get(`/projects/${path}%2F${name}/integrations/pumble`)).body
  let group: { id: number }
  const openAll = () =>
    flow.page.$$eval('main details', (all) => {
      for (const one of all) (one as unknown as { open: boolean }).open = true
    })
  beforeAll(async () => {
    group = await flow.make('/groups', { name: path, path })
    await flow.make('/projects', { name, namespace_id: group.id })
  })

  test('an integration of the group is inherited, replaced, used again and disabled', async () => {
    await flow.make('/projects', { name: 'beside', namespace_id: group.id })
    await flow.goto(inGroup)
    await Promise.all([flow.page.waitForNavigation(), flow.page.click(`main a[href$="/pumble"]`)])
    const address = 'https://pumble.example/hook'
    expect(await flow.send(`${inGroup}/pumble`, { webhook: address, pipeline_events: 'true' })).toBe(inGroup)
    await flow.goto(inProject)
    expect(await textOf(flow.page)).toContain('inherited')
    expect(await integration()).toMatchObject({ active: true, inherited: true, pipeline_events: true })
    expect(await flow.send(`${inProject}/pumble`, { webhook: address, push_events: 'false' })).toBe(inProject)
    expect(await integration()).toMatchObject({ inherited: false, push_events: false, pipeline_events: true })
    await flow.goto(`${inProject}/pumble`)
    await flow.pressNamed('Use inherited settings')
    expect(await integration()).toMatchObject({ inherited: true, push_events: true })
    await flow.goto(`${inProject}/pumble`)
    await flow.page.click('main details.confirm summary')
    await flow.pressNamed('Disable it')
    expect(await integration()).toMatchObject({ active: false })
  })

  test('a member gets a role of the group, which opens a page of the settings', async () => {
    const { id, username } = await flow.makePerson('keeper')
    const roles = `/groups/${path}/-/settings/member_roles`
    await flow.goto(`${roles}/new`)
    await openAll()
    await flow.page.type('main [name=name]', 'Integrations')
    await flow.page.select('main [name=base_access_level]', '10')
    await flow.page.click('main input[type=checkbox][name=admin_integrations]')
    await flow.pressNamed('Create')
    const [role] = (await flow.server.root.get(`/groups/${group.id}/member_roles`)).body
    expect(role).toMatchObject({ name: 'Integrations', base_access_level: 10, admin_integrations: true })
    const members = `/groups/${path}/-/group_members`
    await flow.goto(`${members}/new`)
    await openAll()
    await flow.page.type('main [name=username]', username)
    await flow.page.select('main [name=access_level]', '10')
    await flow.page.select('main [name=member_role_id]', String(role.id))
    await flow.pressNamed('Create')
    const member = (await flow.server.root.get(`/groups/${group.id}/members/${id}`)).body
    expect(member).toMatchObject({ access_level: 10, member_role: { name: 'Integrations' } })
    await flow.goto(members)
    expect(await textOf(flow.page)).toContain('Integrations')
    const own = await flow.openTab()
    await signIn(own.page, flow.server.url, username)
    await flow.goto(inProject, own.page)
    expect(await textOf(own.page)).toContain('Available')
    expect(own.complaints).toEqual([])
    await own.close()
  })
})
