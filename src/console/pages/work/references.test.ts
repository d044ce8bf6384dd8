import { expect, test } from 'vitest'
import { anonymous, api, base, guest, owner, script, serveWorkForTests } from './testing.ts'

serveWorkForTests()

test('references in descriptions and comments are links for those who may read what they are to', async () => {
  const label = `a "label" ${script}`
  await owner.post(`${api}/labels`, { name: 'bug', color: '#f00' })
  await owner.post(`${api}/labels`, { name: label, color: '#f00' })
  const hidden = (await owner.post(`${api}/issues`, { title: 'Hidden', confidential: true })).body
  const epic = (await owner.post('/groups/team/epics', { title: 'Epic' })).body
  const tracker = { project_url: 'https://t.example/', issues_url: 'https://t.example/:id' }
  await owner.put(`${api}/integrations/youtrack`, tracker)
  const description = `See #${hidden.iid}, team/plan#${hidden.iid}, ~bug, @guest and @missing; ABC-12.`
  const { iid } = (await owner.post(`${api}/issues`, { title: 'Shown', description })).body
  for (const body of [`Also #${hidden.iid} &${epic.iid} team&99`, `text-1; ~"${label}" ${script} #${iid}`]) {
    await owner.post(`${api}/issues/${iid}/notes`, { body })
  }
  const proseOf = async (person: typeof owner) => {
    const { html } = await person.browser.get(`${base}/issues/${iid}`)
    expect(html).not.toContain(script)
    return [...html.matchAll(/<div class="prose[^"]*">([\s\S]*?)<\/div>/g)].map(([, text = '']) => text)
  }
  const linksIn = (texts: string[]) => texts.map((text) => [...text.matchAll(/<a href="([^"]*)"/g)].map(([, to]) => to))
  const [own, other] = [`${base}/issues/${iid}`, `${base}/issues/${hidden.iid}`]
  const found = [`${base}/issues?labels=bug`, '/guest', 'https://t.example/ABC-12']
  expect(linksIn(await proseOf(owner))).toEqual([
    [other, other, ...found],
    [other, `/groups/team/-/epics/${epic.iid}`],
    [own],
  ])
  expect((await guest.get(`/groups/team/epics/${epic.iid}`)).status).toBe(403)
  const ofGuest = await proseOf(guest)
  expect(linksIn(ofGuest)).toEqual([found, [], [own]])
  expect(ofGuest[0]).toContain(`See #${hidden.iid}, team/plan#${hidden.iid}, `)
})

test('a preview has them, and no page shows what stands for its texts meanwhile', async () => {
  const { iid } = (await owner.post(`${api}/issues`, { title: 'Previewed' })).body
  const fields = { _draft: 'preview', title: 'x', description: `as in #${iid} and #99999` }
  const { html } = await owner.browser.send(`${base}/issues/new`, 'issues.create', fields)
  expect(html).toContain(`as in <a href="${base}/issues/${iid}"`)
  expect(html).toContain('and #99999')
  expect(html).not.toMatch(/text-[0-9a-f]{8}-|reference-[0-9a-f]{8}-/)
  expect((await anonymous.get(`${base}/issues/${iid}`)).status).toBe(302)
})
