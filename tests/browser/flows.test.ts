/** What people come for, in a real browser, with and without JavaScript. */
import { createHash, randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openBrowser, openTab, type PageServer, password, press, signIn, startPageServer, textOf } from './browser.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let server: PageServer
let browser: Browser
beforeAll(async () => {
  ;[server, browser] = await Promise.all([startPageServer(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

const submit = 'main form[method=post] button.primary'

/** Fills the fields of the form of a page by their names, and sends it. @returns the path that it leads to */
async function send(page: Page, path: string, fields: Record<string, string>): Promise<string> {
  await page.goto(server.url + path)
  for (const [name, value] of Object.entries(fields)) {
    const selector = `main form[method=post] [name="${name}"]:not([type=hidden])`
    const tag = await page.$eval(selector, (field) => `${field.tagName} ${field.getAttribute('type')}`)
    if (tag.startsWith('SELECT')) await page.select(selector, value)
    else if (tag.endsWith('checkbox')) {
      const isChecked = await page.$eval(selector, (box) => (box as unknown as { checked: boolean }).checked)
      if (String(isChecked) !== value) await page.click(selector)
    } else {
      await page.$eval(selector, (field) => (field as unknown as { select(): void }).select())
      await page.keyboard.press('Backspace')
      await page.type(selector, value)
    }
  }
  await press(page, submit)
  return new URL(page.url()).pathname
}

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_how, isScripted) => {
  const name = isScripted ? 'scripted' : 'plain'
  const project = `root%2F${name}`
  const at = `/root/${name}`
  let tab: Awaited<ReturnType<typeof openTab>>
  beforeAll(async () => {
    tab = await openTab(browser, { isScripted })
    await signIn(tab.page, server.url, 'root')
  })
  afterAll(async () => {
    expect(tab.complaints).toEqual([])
    await tab.close()
  })
  const stored = async (path: string) => (await server.root.get(`/projects/${project}${path}`)).body

  test('a person signs in with a code of their device, once', async () => {
    const username = `secured-${name}`
    const account = { username, name, email: `${username}@example.com`, password, skip_confirmation: true }
    await server.root.post('/users', account)
    const own = await openTab(browser, { isScripted })
    await signIn(own.page, server.url, username)
    await send(own.page, '/-/profile/two_factor', { password })
    const secret = await own.page.$eval('main .copy input', (input) => (input as { value: string }).value)
    const totp = new TOTP({ secret })
    const first = totp.generate()
    await own.page.type('main input[name=code]', first)
    await press(own.page, submit)
    await own.close()
    // A code is accepted once; that of the next step is accepted before its time.
    const next = () => totp.generate({ timestamp: Date.now() + totp.period * 1000 })
    for (const [codeOf, leads] of [
      [() => first, '/users/sign_in'],
      [next, '/'],
    ] as const) {
      const other = await openTab(browser, { isScripted })
      await signIn(other.page, server.url, username)
      await other.page.type('#password', password)
      await other.page.type('#code', codeOf())
      await press(other.page, 'main button.primary')
      expect(new URL(other.page.url()).pathname).toBe(leads)
      await other.close()
    }
  })

  test('a person makes a token that does what they choose, and changes their password', async () => {
    const username = `own-${name}`
    const account = { username, name, email: `${username}@example.com`, password, skip_confirmation: true }
    const { body: user } = await server.root.post('/users', account)
    const own = await openTab(browser, { isScripted })
    await signIn(own.page, server.url, username)
    await own.page.goto(`${server.url}/-/profile/personal_access_tokens/new`)
    await own.page.click('main input[value=read_user]')
    await own.page.type('main input[name=name]', 'mine')
    await press(own.page, submit)
    const token = await own.page.$eval('main .secret .copy input', (input) => (input as { value: string }).value)
    expect((await server.as(token).get('/user')).body).toMatchObject({ id: user.id })
    const chosen = 'an-other-horse-10'
    expect(await send(own.page, '/-/profile/password', { current_password: password, password: chosen })).toBe(
      '/-/profile/password',
    )
    expect(await textOf(own.page)).toContain('Your password has changed')
    expect(own.complaints).toEqual([])
    await own.close()
    const again = await openTab(browser, { isScripted })
    await signIn(again.page, server.url, username, chosen)
    expect(new URL(again.page.url()).pathname).toBe('/')
    await again.close()
  })

  test('a project is created, and a file of it edited on a new branch', async () => {
    const given = { name, initialize_with_readme: 'true', visibility: 'public' }
    expect(await send(tab.page, '/projects/new', given)).toBe(at)
    const edited = { content: '# Changed', commit_message: 'Change', branch: 'change' }
    expect(await send(tab.page, `${at}/-/edit/main/README.md`, edited)).toBe(`${at}/-/blob/change/README.md`)
    expect(await textOf(tab.page)).toContain('Changed')
    const { content } = await stored('/repository/files/README.md?ref=change')
    expect(Buffer.from(content, 'base64').toString()).toContain('# Changed')
  })

  test('two branches are compared', async () => {
    await tab.page.goto(`${server.url}${at}/-/compare/main...change`)
    expect(await textOf(tab.page)).toMatch(/1 changed file[\s\S]*# Changed/)
  })

  test('a review with a thread on a line blocks the merge until it is resolved', async () => {
    await server.root.put(`/projects/${project}`, { only_allow_merge_if_all_discussions_are_resolved: true })
    const proposed = `${at}/-/merge_requests/new?source_branch=change`
    expect(await send(tab.page, proposed, { title: 'Better words' })).toBe(`${at}/-/merge_requests/1`)
    expect(await textOf(tab.page)).toContain('It can be merged.')
    const changes = `${server.url}${at}/-/merge_requests/1/diffs`
    await tab.page.goto(changes)
    const number = '.talked tr.add .no a'
    if (isScripted) await tab.page.click(number)
    else await Promise.all([tab.page.waitForNavigation(), tab.page.click(number)])
    expect(new URL(tab.page.url()).search === '').toBe(isScripted)
    await tab.page.type('.line-form textarea', 'Is this *right*?')
    await press(tab.page, '.line-form button.primary')
    expect(await tab.page.$eval('.line-talk em', ({ textContent }) => textContent)).toBe('right')
    expect((await stored('/merge_requests/1/discussions'))[0].notes[0].position).toMatchObject({ new_line: 1 })
    await tab.page.goto(`${server.url}${at}/-/merge_requests/1`)
    expect(await textOf(tab.page)).toContain('It cannot be merged before all threads are resolved.')
    expect(await tab.page.$('.merge-form')).toBeNull()
    await tab.page.goto(changes)
    await press(tab.page, '.thread-end > form button')
    expect(await textOf(tab.page)).toMatch(/Resolved by/)
    await tab.page.goto(`${server.url}${at}/-/merge_requests/1`)
    await press(tab.page, '.merge-form button.primary')
    expect(await textOf(tab.page)).toContain('Merged into')
    expect(await stored('/merge_requests/1')).toMatchObject({ state: 'merged' })
  })

  test('files are marked as viewed by the script', async () => {
    const viewed = '.viewed-mark input'
    await tab.page.goto(`${server.url}${at}/-/merge_requests/1/diffs`)
    if (!isScripted) return expect(await tab.page.$(viewed)).toBeNull()
    await tab.page.click(viewed)
    await tab.page.reload()
    expect(await tab.page.$eval(viewed, (box) => (box as unknown as { checked: boolean }).checked)).toBe(true)
    expect(await tab.page.$eval('.diff', (file) => (file as unknown as { open: boolean }).open)).toBe(false)
  })

  test('a branch is protected, and a variable added', async () => {
    await send(tab.page, `${at}/-/protected_branches/new`, { name: 'change', push_access_level: '0' })
    expect((await stored('/protected_branches/change')).push_access_levels).toMatchObject([{ access_level: 0 }])
    await send(tab.page, `${at}/-/variables/new`, { key: 'KEY', value: 'a "value"' })
    expect(await stored('/variables/KEY')).toMatchObject({ value: 'a "value"' })
    await send(tab.page, `${at}/-/variables/new`, { key: 'not a key', value: 'kept' })
    expect(await textOf(tab.page)).toMatch(/can contain only letters/i)
    expect(await tab.page.$eval('main [name=value]', (field) => (field as { value: string }).value)).toBe('kept')
  })

  test('a person who may push is named in a form, and completed by the script', async () => {
    const username = `pushes-${name}`
    const account = { username, name, email: `${username}@example.com`, password, skip_confirmation: true }
    const { body: user } = await server.root.post('/users', account)
    await server.root.post(`/projects/${project}/members`, { user_id: user.id, access_level: 30 })
    await tab.page.goto(`${server.url}${at}/-/protected_branches/new`)
    await tab.page.type('main input[name=name]', 'named')
    const field = 'main input[name="allowed_to_push[0][user_id]"]'
    // It stands in a group that is closed at first.
    await tab.page.$$eval('main details', (all) => {
      for (const one of all) (one as unknown as { open: boolean }).open = true
    })
    await tab.page.type(field, username.slice(0, -2))
    if (isScripted) {
      const option = await tab.page.waitForSelector(`main datalist option[value="${username}"]`)
      expect(option).not.toBeNull()
    }
    await tab.page.type(field, username.slice(-2))
    await press(tab.page, submit)
    expect((await stored('/protected_branches/named')).push_access_levels).toMatchObject([{ user_id: user.id }])
  })

  test('a schedule is run', async () => {
    const config = { branch: 'main', content: 'job:\n  script: echo\n', commit_message: 'CI' }
    await server.root.post(`/projects/${project}/repository/files/.gitlab-ci.yml`, config)
    const given = { description: 'Nightly', ref: 'main', cron: '0 1 * * *' }
    await send(tab.page, `${at}/-/pipeline_schedules/new`, given)
    await tab.page.goto(`${server.url}${at}/-/pipeline_schedules`)
    const button = await tab.page.$$('main button')
    const labels = await Promise.all(button.map((one) => one.evaluate(({ textContent }) => textContent ?? '')))
    const index = labels.findIndex((label: string) => label.startsWith('Run now'))
    await Promise.all([tab.page.waitForNavigation(), button[index]?.click()])
    await expect.poll(() => stored('/pipelines?source=schedule')).toMatchObject([{ source: 'schedule', ref: 'main' }])
  })

  test('an issue is written, discussed, planned and closed', async () => {
    const { page } = tab
    await server.root.post(`/projects/${project}/labels`, { name: 'bug', color: '#cc0000' })
    await page.goto(`${server.url}${at}/-/issues/new`)
    await page.type('main [name=title]', `It fails ${name}`)
    await page.type('main [name=description]', '- [ ] repair it')
    await press(page, submit)
    expect(new URL(page.url()).pathname).toBe(`${at}/-/issues/1`)

    await press(page, 'main button[name=line_number]')
    expect((await stored('/issues/1')).task_status).toBe('1 of 1 checklist item completed')

    const comment = 'main .comment-form textarea'
    await page.type(comment, 'I see it **too**')
    const preview = 'main .comment-form button[value=preview]'
    if (isScripted) await page.click(preview)
    else await press(page, preview)
    await page.waitForSelector('main .preview strong')
    expect(await page.$eval(comment, (text) => (text as { value: string }).value)).toBe('I see it **too**')
    await press(page, 'main .comment-form button.primary')
    expect(await page.$eval('main .comment .prose', (said) => said.innerHTML)).toContain('<strong>too</strong>')

    await page.click('main .reply summary')
    await page.type('main .reply textarea', 'So do I')
    await press(page, 'main .reply button.primary')
    expect(await page.$$('main .thread .comment')).toHaveLength(2)

    // At its top, where nothing lies over the buttons.
    await page.goto(`${server.url}${at}/-/issues/1`)
    const labels = 'main aside details:has([value=labels])'
    await page.click(`${labels} summary`)
    await page.click(`${labels} input[type=checkbox]`)
    await press(page, `${labels} button`)
    expect((await stored('/issues/1')).labels).toEqual(['bug'])

    await page.type(comment, '/spend 1h\n/close')
    await press(page, 'main .comment-form button.primary')
    expect(await textOf(page)).toMatch(/added[\s\S]*bug[\s\S]*closed this/)
    expect(await stored('/issues/1')).toMatchObject({ state: 'closed', time_stats: { total_time_spent: 3600 } })
    await page.goto(`${server.url}${at}/-/issues?state=closed`)
    expect(await textOf(page)).toContain(`It fails ${name}`)
  })

  test.runIf(isScripted)('references are completed, and pasted files uploaded', async () => {
    const { page } = tab
    await page.goto(`${server.url}${at}/-/issues/1`)
    const comment = 'main .comment-form textarea'
    await page.type(comment, 'see #')
    await page.waitForSelector('.suggestions [data-reference="#1"]')
    await page.keyboard.press('Enter')
    const written = () => page.$eval(comment, (text) => (text as { value: string }).value)
    expect(await written()).toBe('see #1 ')
    await page.evaluate(`{
      const files = new DataTransfer()
      files.items.add(new File(['bytes'], 'notes.txt', { type: 'text/plain' }))
      const pasted = { clipboardData: files, bubbles: true, cancelable: true }
      document.querySelector('${comment}').dispatchEvent(new ClipboardEvent('paste', pasted))
    }`)
    await expect.poll(written, { timeout: 30_000 }).toMatch(/\[notes\.txt\]\(\/uploads\//)
    await press(page, 'main .comment-form button.primary')
    const links = await page.$$eval('main .comment .prose a', (all) => all.map((link) => link.getAttribute('href')))
    expect(links).toContainEqual(expect.stringMatching(/^\/-\/project\/\d+\/uploads\/\w+\/notes\.txt$/))
  })

  test('a pipeline is run with a variable, and watched until it ends', async () => {
    const { body: runner } = await server.root.post('/user/runners', {
      ...{ runner_type: 'project_type', project_id: (await stored('')).id, description: 'fast' },
    })
    const form = { ref: 'main', 'variables[0][key]': 'KEY', 'variables[0][value]': 'value' }
    // A job of the schedule may wait too.
    await expect.poll(() => stored('/pipelines?source=schedule')).toMatchObject([{ source: 'schedule' }])
    for (const { id } of await stored('/pipelines'))
      await server.root.post(`/projects/${project}/pipelines/${id}/cancel`)
    const pipeline = await send(tab.page, `${at}/-/pipelines/new`, form)
    expect(pipeline).toMatch(/\/-\/pipelines\/\d+$/)
    const { id, token, variables } = (await server.root.post('/jobs/request', { token: runner.token })).body
    expect(variables).toContainEqual(expect.objectContaining({ key: 'KEY', value: 'value' }))
    const shown = async () => {
      if (!isScripted) await tab.page.reload()
      return textOf(tab.page)
    }
    await expect.poll(shown, { timeout: 60_000 }).toContain('running')
    await tab.page.goto(`${server.url}${at}/-/jobs/${id}`)
    let written = 0
    const write = async (text: string) => {
      const headers = { 'JOB-TOKEN': token, 'Content-Range': `${written}-${written + text.length - 1}` }
      const sent = { method: 'PATCH', body: text, headers: { ...headers, 'Content-Type': 'text/plain' } }
      expect((await fetch(`${server.url}/api/v4/jobs/${id}/trace`, sent)).status).toBe(202)
      written += text.length
    }
    await write('section_start:10:work\r\u001b[0KThe work\n\u001b[31mred <b>\n')
    await expect.poll(shown, { timeout: 60_000 }).toContain('red <b>')
    await write('more\u001b[0m\nsection_end:75:work\r\nlast')
    await expect.poll(shown, { timeout: 60_000 }).toContain('more')
    await server.root.put(`/jobs/${id}`, { token, state: 'success' })
    await expect.poll(shown, { timeout: 60_000 }).toMatch(/last[\s\S]*passed/)
    const red = await tab.page.$$eval('.log details .f1', (all) => all.map(({ textContent }) => textContent))
    expect(red).toEqual(['red <b>', 'more'])
    expect(await tab.page.$$eval('.log [id]', (all) => all.map((line) => line.id))).toEqual(['L1', 'L2', 'L3', 'L5'])
    await tab.page.goto(`${server.url}${pipeline}`)
    expect(await textOf(tab.page)).toMatch(/passed[\s\S]*job/)
  })

  test('a feature is switched on, and a banner dismissed', async () => {
    const feature = `feature_${name}`
    await send(tab.page, '/admin/features/new', { name: feature, value: 'true', force: 'true' })
    const { body } = await server.root.get('/features')
    expect(body).toContainEqual(expect.objectContaining({ name: feature, state: 'on' }))
    const message = { message: `Hello ${name}`, dismissable: true, ends_at: '2099-01-01T00:00:00Z' }
    await server.root.post('/broadcast_messages', message)
    await tab.page.goto(`${server.url}/`)
    const shown = () => tab.page.$$eval('.banner', (all) => all.map(({ textContent }) => textContent).join())
    expect(await shown()).toContain(`Hello ${name}`)
    while ((await shown()) !== '') await press(tab.page, '.banner button')
    await tab.page.goto(`${server.url}/explore`)
    expect(await shown()).toBe('')
  })

  test('an access request is approved', async () => {
    const account = { username: `asks-${name}`, name, email: `${name}@example.com`, password, skip_confirmation: true }
    const { body: user } = await server.root.post('/users', account)
    const token = { name: 'test', scopes: ['api'] }
    const { body } = await server.root.post(`/users/${user.id}/personal_access_tokens`, token)
    expect((await server.as(body.token).post(`/projects/${project}/access_requests`)).status).toBe(201)
    await tab.page.goto(`${server.url}${at}/-/access_requests`)
    await press(tab.page, 'main table form button')
    expect(await stored(`/members/${user.id}`)).toMatchObject({ access_level: 30 })
  })

  test('an OAuth application is authorised', async () => {
    const redirect_uri = `${server.url}/users/sign_in`
    const application = { name: `App ${name}`, redirect_uri, scopes: 'read_user', confidential: false }
    const { body } = await server.root.post('/applications', application)
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      ...{ client_id: body.application_id, redirect_uri, response_type: 'code', scope: 'read_user', state: 'xyz' },
      ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    })
    let led = ''
    tab.page.on('framenavigated', (frame) => {
      if (frame.url().includes('code=')) led = frame.url()
    })
    tab.page.on('request', (request) => {
      if (request.url().includes('code=')) led = request.url()
    })
    await tab.page.goto(`${server.url}/oauth/authorize?${query}`)
    expect(await textOf(tab.page)).toContain(`App ${name}`)
    await press(tab.page, submit)
    const answer = new URL(led).searchParams
    expect(answer.get('state')).toBe('xyz')
    const exchanged = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', client_id: body.application_id, redirect_uri },
        ...{ code: answer.get('code') ?? '', code_verifier: verifier },
      }),
    })
    expect(exchanged.status).toBe(200)
    const { access_token: access } = (await exchanged.json()) as { access_token: string }
    const user = await fetch(`${server.url}/api/v4/user`, { headers: { Authorization: `Bearer ${access}` } })
    expect(await user.json()).toMatchObject({ id: 1 })
  })
})
