/** How code is changed, reviewed and merged. */
import { expect, test } from 'vitest'
import { press, textOf } from '../browser.ts'
import { declareFlows, submit } from './testing.ts'

declareFlows((flow) => {
  const { at, isScripted, name, stored } = flow

  test('a project is created, and a file of it edited on a new branch', async () => {
    const given = { name, initialize_with_readme: 'true', visibility: 'public' }
    expect(await flow.send('/projects/new', given)).toBe(at)
    const edited = { content: '# Changed', commit_message: 'Change', branch: 'change' }
    expect(await flow.send(`${at}/-/edit/main/README.md`, edited)).toBe(`${at}/-/blob/change/README.md`)
    expect(await textOf(flow.page)).toContain('Changed')
    const { content } = await stored('/repository/files/README.md?ref=change')
    expect(Buffer.from(content, 'base64').toString()).toContain('# Changed')
  })

  test('two branches are compared', async () => {
    await flow.goto(`${at}/-/compare/main...change`)
    expect(await textOf(flow.page)).toMatch(/1 changed file[\s\S]*# Changed/)
  })

  test('a review with a thread on a line blocks the merge until it is resolved', async () => {
    await flow.server.root.put(flow.api(''), { only_allow_merge_if_all_discussions_are_resolved: true })
    const proposed = `${at}/-/merge_requests/new?source_branch=change`
    expect(await flow.send(proposed, { title: 'Better words' })).toBe(`${at}/-/merge_requests/1`)
    expect(await textOf(flow.page)).toContain('It can be merged.')
    const changes = `${at}/-/merge_requests/1/diffs`
    await flow.goto(changes)
    const number = '.talked tr.add .no a'
    if (isScripted) await flow.page.click(number)
    else await Promise.all([flow.page.waitForNavigation(), flow.page.click(number)])
    expect(new URL(flow.page.url()).search === '').toBe(isScripted)
    await flow.page.type('.line-form textarea', 'Is this *right*?')
    await press(flow.page, '.line-form button.primary')
    expect(await flow.page.$eval('.line-talk em', ({ textContent }) => textContent)).toBe('right')
    expect((await stored('/merge_requests/1/discussions'))[0].notes[0].position).toMatchObject({ new_line: 1 })
    await flow.goto(`${at}/-/merge_requests/1`)
    expect(await textOf(flow.page)).toContain('It cannot be merged before all threads are resolved.')
    expect(await flow.page.$('.merge-form')).toBeNull()
    await flow.goto(changes)
    await press(flow.page, '.thread-end > form button')
    expect(await textOf(flow.page)).toMatch(/Resolved by/)
    await flow.goto(`${at}/-/merge_requests/1`)
    await press(flow.page, '.merge-form button.primary')
    expect(await textOf(flow.page)).toContain('Merged into')
    expect(await stored('/merge_requests/1')).toMatchObject({ state: 'merged' })
  })

  test('a review is written as drafts, which only their author sees, and submitted at once', async () => {
    const request = `${at}/-/merge_requests/1`
    await flow.goto(`${request}/diffs`)
    const number = '.talked tr.add .no a'
    if (isScripted) await flow.page.click(number)
    else await Promise.all([flow.page.waitForNavigation(), flow.page.click(number)])
    await flow.page.type('.line-form textarea', 'Kept *back*')
    await flow.pressNamed('Start a review', '.line-form')
    expect(await flow.page.$eval('.line-talk .draft em', ({ textContent }) => textContent)).toBe('back')
    await flow.goto(request)
    await flow.page.type('.comment-form textarea', 'And this')
    await flow.pressNamed('Add to review', '.comment-form')
    expect(await flow.page.$$('.review-box .draft')).toHaveLength(2)
    expect((await stored('/merge_requests/1/draft_notes')).map(({ note }: { note: string }) => note)).toEqual([
      'Kept *back*',
      'And this',
    ])
    await flow.page.type('.review-box > form textarea', 'In short')
    await flow.pressNamed('Submit the review', '.review-box')
    expect(await flow.page.$('.draft')).toBeNull()
    expect(await stored('/merge_requests/1/draft_notes')).toEqual([])
    expect(await textOf(flow.page)).toMatch(/Kept back[\s\S]*And this[\s\S]*In short/)
  })

  test('files are marked as viewed by the script', async () => {
    const viewed = '.viewed-mark input'
    await flow.goto(`${at}/-/merge_requests/1/diffs`)
    if (!isScripted) return expect(await flow.page.$(viewed)).toBeNull()
    await flow.page.click(viewed)
    await flow.page.reload()
    expect(await flow.page.$eval(viewed, (box) => (box as unknown as { checked: boolean }).checked)).toBe(true)
    expect(await flow.page.$eval('.diff', (file) => (file as unknown as { open: boolean }).open)).toBe(false)
  })

  test('a merge request is given a rule of its own, which is changed and deleted', async () => {
    const file = { branch: 'ruled', start_branch: 'main', content: 'b', commit_message: 'Rule' }
    await flow.make(flow.api('/repository/files/ruled.txt'), file)
    const { iid } = await flow.make(flow.api('/merge_requests'), {
      ...{ title: 'Ruled', source_branch: 'ruled', target_branch: 'main' },
    })
    const rules = `${at}/-/merge_requests/${iid}/approval_rules`
    const kept = async () =>
      (await stored(`/merge_requests/${iid}/approval_rules`)).map((rule: Record<string, unknown>) => [
        ...[rule.name, rule.approvals_required, (rule.users as unknown[]).length],
      ])
    expect(await flow.send(rules, { name: 'Eyes', approvals_required: '1', usernames: 'root' })).toBe(rules)
    expect(await kept()).toEqual([['Eyes', 1, 1]])
    await press(flow.page, 'main ul.rows a')
    const one = new URL(flow.page.url()).pathname
    expect(await flow.send(one, { name: 'More eyes', approvals_required: '2' })).toBe(one)
    expect(await textOf(flow.page)).toContain('2 required, of Administrator.')
    expect(await kept()).toEqual([['More eyes', 2, 1]])
    await flow.send(one, { approvals_required: '101' })
    expect(await kept()).toEqual([['More eyes', 2, 1]])
    await flow.goto(one)
    await flow.page.click('main details summary')
    await flow.pressNamed('Delete the rule', 'main')
    expect(new URL(flow.page.url()).pathname).toBe(rules)
    expect(await textOf(flow.page)).toContain('The rules of the project apply.')
  })

  test('a branch is protected, and a variable added', async () => {
    await flow.send(`${at}/-/protected_branches/new`, { name: 'change', push_access_level: '0' })
    expect((await stored('/protected_branches/change')).push_access_levels).toMatchObject([{ access_level: 0 }])
    await flow.send(`${at}/-/variables/new`, { key: 'KEY', value: 'a "value"' })
    expect(await stored('/variables/KEY')).toMatchObject({ value: 'a "value"' })
    await flow.send(`${at}/-/variables/new`, { key: 'not a key', value: 'kept' })
    expect(await textOf(flow.page)).toMatch(/can contain only letters/i)
    expect(await flow.page.$eval('main [name=value]', (field) => (field as { value: string }).value)).toBe('kept')
  })

  test('a person who may push is named in a form, and completed by the script', async () => {
    const { id, username } = await flow.makePerson('pushes')
    await flow.server.root.post(flow.api('/members'), { user_id: id, access_level: 30 })
    await flow.goto(`${at}/-/protected_branches/new`)
    await flow.page.type('main input[name=name]', 'named')
    const field = 'main input[name="allowed_to_push[0][user_id]"]'
    // It stands in a group that is closed at first.
    await flow.page.$$eval('main details', (all) => {
      for (const one of all) (one as unknown as { open: boolean }).open = true
    })
    await flow.page.type(field, username.slice(0, -2))
    if (isScripted) {
      const option = await flow.page.waitForSelector(`main datalist option[value="${username}"]`)
      expect(option).not.toBeNull()
    }
    await flow.page.type(field, username.slice(-2))
    await press(flow.page, submit)
    expect((await stored('/protected_branches/named')).push_access_levels).toMatchObject([{ user_id: id }])
  })
})
