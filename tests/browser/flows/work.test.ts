/** How issues are written, discussed and closed. */
import { beforeAll, expect, test } from 'vitest'
import { press, textOf } from '../browser.ts'
import { declareFlows, submit } from './testing.ts'

declareFlows((flow) => {
  const { at, isScripted, name, stored } = flow
  beforeAll(() => flow.makeProject())

  test('an issue is written, discussed, planned and closed', async () => {
    const { page } = flow
    await flow.make(flow.api('/labels'), { name: 'bug', color: '#cc0000' })
    await flow.goto(`${at}/-/issues/new`)
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
    await flow.goto(`${at}/-/issues/1`)
    const labels = 'main aside details:has([value=labels])'
    await page.click(`${labels} summary`)
    await page.click(`${labels} input[type=checkbox]`)
    await press(page, `${labels} button`)
    expect((await stored('/issues/1')).labels).toEqual(['bug'])

    await page.type(comment, '/spend 1h\n/close')
    await press(page, 'main .comment-form button.primary')
    expect(await textOf(page)).toMatch(/added[\s\S]*bug[\s\S]*closed this/)
    expect(await stored('/issues/1')).toMatchObject({ state: 'closed', time_stats: { total_time_spent: 3600 } })
    await flow.goto(`${at}/-/issues?state=closed`)
    expect(await textOf(page)).toContain(`It fails ${name}`)
  })

  test.runIf(isScripted)('references are completed, and pasted files uploaded', async () => {
    const { page } = flow
    await flow.goto(`${at}/-/issues/1`)
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

  test('an issue is closed by the merge of the request that names it', async () => {
    const { page } = flow
    const issue = await flow.send(`${at}/-/issues/new`, { title: 'The greeting has no name' })
    const iid = issue.split('/').at(-1)
    const edited = { content: '# Hello, you', commit_message: 'Greet', branch: 'greet' }
    await flow.send(`${at}/-/edit/main/README.md`, edited)
    const proposed = `${at}/-/merge_requests/new?source_branch=greet`
    const request = await flow.send(proposed, { title: 'Greet by name', description: `Closes #${iid}` })
    await flow.goto(issue)
    expect(await textOf(page)).toContain('Greet by name')
    expect(await stored(`/issues/${iid}`)).toMatchObject({ state: 'opened' })
    await flow.goto(request)
    await press(page, '.merge-form button.primary')
    expect(await textOf(page)).toContain('Merged into')
    const shown = async () => {
      await flow.goto(issue)
      return textOf(page)
    }
    await expect.poll(shown, { timeout: 60_000 }).toMatch(/closed/i)
    expect(await stored(`/issues/${iid}`)).toMatchObject({ state: 'closed' })
  })
})
