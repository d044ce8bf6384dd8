/** People sign in with a real browser, with and without JavaScript. */
import { TOTP } from 'otpauth'
import type { Browser } from 'puppeteer-core'
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

async function makeUser(username: string): Promise<number> {
  const { status, body } = await server.root.post('/users', {
    ...{ username, name: `Name of ${username}`, email: `${username}@example.com` },
    ...{ password, skip_confirmation: true },
  })
  expect(status).toBe(201)
  return body.id
}

const pathOf = (address: string) => new URL(address).pathname

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('%s', (_how, isScripted) => {
  const username = isScripted ? 'scripted' : 'plain'
  const chosen = 'an-other-horse-10'

  test('a person changes an expired password on the way in, and signs out', async () => {
    // A password that an administrator has set expires with the first sign-in.
    await server.root.put(`/users/${await makeUser(username)}`, { password })
    const tab = await openTab(browser, { isScripted })
    await tab.page.goto(`${server.url}/-/profile`)
    expect(pathOf(tab.page.url())).toBe('/users/sign_in')
    await tab.page.type('#username', username)
    await tab.page.type('#password', password)
    expect(await press(tab.page, 'main button.primary')).toBe(401)
    expect(await textOf(tab.page)).toContain('Your password has expired')
    await tab.page.type('#password', password)
    await tab.page.type('#new_password', chosen)
    expect(await press(tab.page, 'main button.primary')).toBe(200)
    expect(pathOf(tab.page.url())).toBe('/-/profile')
    expect(await textOf(tab.page)).toContain('this browser')
    await tab.page.click('.mine .menu summary')
    await press(tab.page, '.mine .popup form button')
    expect(pathOf(tab.page.url())).toBe('/users/sign_in')
    await tab.page.goto(`${server.url}/-/profile`)
    expect(pathOf(tab.page.url())).toBe('/users/sign_in')
    expect(tab.complaints).toEqual([])
    await tab.close()
  })

  test('a wrong password is refused, and the name stays in the form', async () => {
    const tab = await openTab(browser, { isScripted })
    await signIn(tab.page, server.url, username, 'wrong')
    expect(await textOf(tab.page)).toContain('The user name or the password is wrong')
    expect(await tab.page.$eval('#username', (input) => (input as { value: string }).value)).toBe(username)
    await tab.close()
  })

  test('a second factor is set up, asked for, and a recovery code is accepted once', async () => {
    const tab = await openTab(browser, { isScripted })
    await signIn(tab.page, server.url, username, chosen)
    await tab.page.goto(`${server.url}/-/profile/two_factor`)
    await tab.page.type('main input[name=password]', chosen)
    await press(tab.page, 'main button.primary')
    const secret = await tab.page.$eval('main .copy input', (input) => (input as { value: string }).value)
    await tab.page.type('main input[name=code]', new TOTP({ secret }).generate())
    await press(tab.page, 'main button.primary')
    const codes = (await tab.page.$eval('main .secret pre', (pre) => String(pre.textContent))).split('\n')
    expect(codes).toHaveLength(10)
    await tab.close()

    for (const [tried, isAccepted] of [
      [codes[0], true],
      [codes[0], false],
    ] as const) {
      const other = await openTab(browser, { isScripted })
      await signIn(other.page, server.url, username, chosen)
      expect(await textOf(other.page)).toContain('Enter a code of your device')
      await other.page.type('#password', chosen)
      await other.page.type('#code', tried ?? '')
      await press(other.page, 'main button.primary')
      expect(pathOf(other.page.url())).toBe(isAccepted ? '/' : '/users/sign_in')
      await other.close()
    }
  })

  test('another browser is signed out from the list of sessions', async () => {
    const person = `${username}-two`
    await makeUser(person)
    const tabs = [await openTab(browser, { isScripted }), await openTab(browser, { isScripted })] as const
    for (const { page } of tabs) await signIn(page, server.url, person)
    const [one, other] = tabs
    await one.page.goto(`${server.url}/-/profile`)
    await press(one.page, 'main .rows form button')
    await other.page.goto(`${server.url}/-/profile`)
    expect(pathOf(other.page.url())).toBe('/users/sign_in')
    for (const { close } of tabs) await close()
  })
})
