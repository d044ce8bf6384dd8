/** How pipelines are run, images deleted, alerts answered, and features switched on. */
import { beforeAll, expect, test } from 'vitest'
import { deliver } from '../../../src/modules/alerts/testing.ts'
import { press, textOf } from '../browser.ts'
import { pushImage } from '../filled/images.ts'
import { declareFlows } from './testing.ts'

/** What Alertmanager sends to a webhook when an alert begins, and when it ends. Then it has no annotations. */
const diskFull = (status: 'firing' | 'resolved') => ({
  receiver: 'fennec',
  status,
  alerts: [
    {
      status,
      labels: { alertname: 'DiskFull', instance: 'db1', severity: 'critical' },
      annotations: status === 'firing' ? { summary: 'Disk 91% full on db1' } : {},
      startsAt: '2026-11-23T20:20:32.771688772Z',
      endsAt: status === 'firing' ? '0001-01-01T00:00:00Z' : '2026-11-23T20:30:48Z',
      generatorURL: 'http://prometheus:9090/graph?g0.expr=disk_used',
      fingerprint: 'e82e2fac3af581ca',
    },
  ],
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: { alertname: 'DiskFull', severity: 'critical' },
  commonAnnotations: {},
  externalURL: 'http://alertmanager:9093',
  version: '4',
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
})

declareFlows((flow) => {
  const { at, isScripted, name, stored } = flow
  beforeAll(() => flow.makeProject())

  test('a schedule is run', async () => {
    const config = { branch: 'main', content: 'job:\n  script: echo\n', commit_message: 'CI' }
    await flow.make(flow.api('/repository/files/.gitlab-ci.yml'), config)
    const given = { description: 'Nightly', ref: 'main', cron: '0 1 * * *' }
    await flow.send(`${at}/-/pipeline_schedules/new`, given)
    await flow.goto(`${at}/-/pipeline_schedules`)
    const button = await flow.page.$$('main button')
    const labels = await Promise.all(button.map((one) => one.evaluate(({ textContent }) => textContent ?? '')))
    const index = labels.findIndex((label: string) => label.startsWith('Run now'))
    await Promise.all([flow.page.waitForNavigation(), button[index]?.click()])
    await expect.poll(() => stored('/pipelines?source=schedule')).toMatchObject([{ source: 'schedule', ref: 'main' }])
  })

  test('a pipeline is run with a variable, and watched until it ends', async () => {
    const { body: runner } = await flow.server.root.post('/user/runners', {
      ...{ runner_type: 'project_type', project_id: (await stored('')).id, description: 'fast' },
    })
    const form = { ref: 'main', 'variables[0][key]': 'KEY', 'variables[0][value]': 'value' }
    // A job of the schedule may wait too.
    await expect.poll(() => stored('/pipelines?source=schedule')).toMatchObject([{ source: 'schedule' }])
    for (const { id } of await stored('/pipelines')) await flow.server.root.post(flow.api(`/pipelines/${id}/cancel`))
    const pipeline = await flow.send(`${at}/-/pipelines/new`, form)
    expect(pipeline).toMatch(/\/-\/pipelines\/\d+$/)
    const { id, token, variables } = (await flow.server.root.post('/jobs/request', { token: runner.token })).body
    expect(variables).toContainEqual(expect.objectContaining({ key: 'KEY', value: 'value' }))
    const shown = async () => {
      if (!isScripted) await flow.page.reload()
      return textOf(flow.page)
    }
    await expect.poll(shown, { timeout: 60_000 }).toContain('running')
    await flow.goto(`${at}/-/jobs/${id}`)
    let written = 0
    const write = async (text: string) => {
      const headers = { 'JOB-TOKEN': token, 'Content-Range': `${written}-${written + text.length - 1}` }
      const sent = { method: 'PATCH', body: text, headers: { ...headers, 'Content-Type': 'text/plain' } }
      expect((await fetch(`${flow.server.url}/api/v4/jobs/${id}/trace`, sent)).status).toBe(202)
      written += text.length
    }
    await write('section_start:10:work\r\u001b[0KThe work\n\u001b[31mred <b>\n')
    await expect.poll(shown, { timeout: 60_000 }).toContain('red <b>')
    await write('more\u001b[0m\nsection_end:75:work\r\nlast')
    await expect.poll(shown, { timeout: 60_000 }).toContain('more')
    await flow.server.root.put(`/jobs/${id}`, { token, state: 'success' })
    await expect.poll(shown, { timeout: 60_000 }).toMatch(/last[\s\S]*passed/)
    const red = await flow.page.$$eval('.log details .f1', (all) => all.map(({ textContent }) => textContent))
    expect(red).toEqual(['red <b>', 'more'])
    expect(await flow.page.$$eval('.log [id]', (all) => all.map((line) => line.id))).toEqual(['L1', 'L2', 'L3', 'L5'])
    await flow.goto(`${pipeline}`)
    expect(await textOf(flow.page)).toMatch(/passed[\s\S]*job/)
  })

  test('tags of images are deleted by an expression after the page has shown which', async () => {
    const { page } = flow
    const token = await flow.make('/users/1/personal_access_tokens', { name: `push ${name}`, scopes: ['api'] })
    const image = `root/${name}/web`
    for (const tag of ['dev-1', 'dev-2', 'v1.0', 'latest']) await pushImage(flow.server.url, token.token, image, tag)
    await flow.goto(`${at}/-/container_registry`)
    await press(page, 'main .rows a.strong')
    await Promise.all([page.waitForNavigation(), page.click('main a[href$="/deletion"]')])
    const listed = () => page.$$eval('main table.list a.strong', (links) => links.map((one) => one.textContent?.trim()))
    const preview = async (expression: string) => {
      const field = 'main form[method=get] [name=name_regex_delete]'
      await page.$eval(field, (input) => (input as unknown as { select(): void }).select())
      await page.type(field, expression)
      await flow.pressNamed('Show what would be deleted')
    }
    await preview('dev-(')
    expect([await textOf(page), await page.$('main button.danger')]).toEqual([
      expect.stringContaining('invalid regexp: missing closing )'),
      null,
    ])
    await preview('.*-.*')
    expect(await textOf(page)).toContain('2 tags would be deleted, oldest first')
    expect(await listed()).toEqual(['dev-1', 'dev-2'])
    await press(page, 'main button.danger')
    const said = async () => {
      if (!isScripted) await page.reload()
      return textOf(page)
    }
    await expect.poll(said, { timeout: 60_000 }).toContain('The tags are deleted.')
    const [repository] = await stored('/registry/repositories')
    const kept: { name: string }[] = await stored(`/registry/repositories/${repository.id}/tags`)
    expect(kept.map((tag) => tag.name).sort()).toEqual(['latest', 'v1.0'])
  })

  test('an alert of Alertmanager opens an incident, is acknowledged, and resolves when its cause ends', async () => {
    const { page } = flow
    await flow.send(`${at}/-/alert_management_integrations/new`, { name: 'Prometheus', type: 'prometheus' })
    await flow.goto(`${at}/-/alert_management/integrations`)
    const shown = (label: string) =>
      page.$eval(`main .copy input[aria-label="${label} of Prometheus"]`, (field) => (field as { value: string }).value)
    const [address, key] = [await shown('Address'), await shown('Key')]
    expect((await deliver(address, 'another key', diskFull('firing'))).status).toBe(401)
    expect((await deliver(address, key, diskFull('firing'))).status).toBe(200)

    await flow.goto(`${at}/-/alert_management`)
    await press(page, 'main .rows a.strong')
    const alert = new URL(page.url()).pathname
    expect(await textOf(page)).toMatch(/Disk 91% full[\s\S]*critical[\s\S]*triggered/i)
    await flow.pressNamed('Create an incident')
    expect(new URL(page.url()).pathname).toBe(`${at}/-/issues/1`)
    expect(await textOf(page)).toContain('Disk 91% full on db1')

    await flow.goto(alert)
    expect((await stored('/alert_management_alerts/1')).issue.web_url).toBe(
      await page.$eval('main aside a[href*="/issues/"]', (link) => link.getAttribute('href')),
    )
    await flow.pressNamed('Acknowledge')
    expect(await stored('/alert_management_alerts/1')).toMatchObject({ status: 'acknowledged', ended_at: null })

    expect((await deliver(address, key, diskFull('resolved'))).status).toBe(200)
    await page.reload()
    expect(await textOf(page)).toMatch(/resolved[\s\S]*Ended/i)
    expect(await stored('/alert_management_alerts/1')).toMatchObject({ status: 'resolved' })
    await press(page, 'main aside a[href*="/issues/"]')
    expect(await textOf(page)).toMatch(/Disk 91% full on db1[\s\S]*closed/i)
    expect(await stored('/issues/1')).toMatchObject({ state: 'closed', issue_type: 'incident' })
  })

  test('a feature is switched on, and a banner dismissed', async () => {
    const feature = `feature_${name}`
    await flow.send('/admin/features/new', { name: feature, value: 'true', force: 'true' })
    const { body } = await flow.server.root.get('/features')
    expect(body).toContainEqual(expect.objectContaining({ name: feature, state: 'on' }))
    const message = { message: `Hello ${name}`, dismissable: true, ends_at: '2099-01-01T00:00:00Z' }
    await flow.server.root.post('/broadcast_messages', message)
    await flow.goto('/')
    const shown = () => flow.page.$$eval('.banner', (all) => all.map(({ textContent }) => textContent).join())
    expect(await shown()).toContain(`Hello ${name}`)
    while ((await shown()) !== '') await press(flow.page, '.banner button')
    await flow.goto('/explore')
    expect(await shown()).toBe('')
  })
})
