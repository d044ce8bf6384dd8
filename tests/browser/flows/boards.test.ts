/** How issues move between the columns of a board: by the pointer, by keys, and by the form of each card. */
import { beforeAll, expect, test } from 'vitest'
import { press } from '../browser.ts'
import { declareFlows } from './testing.ts'

declareFlows((flow) => {
  const { at, isScripted, stored } = flow
  let board: string
  /** The names of the columns in the page. */
  const columns: Record<string, string> = { Open: 'open', Closed: 'closed' }
  beforeAll(async () => {
    await flow.makeProject()
    const { id } = await flow.make(flow.api('/boards'), { name: 'Work' })
    board = `${at}/-/boards/${id}`
    for (const name of ['doing', 'review']) {
      const label = await flow.make(flow.api('/labels'), { name, color: '#cc0000' })
      const list = await flow.make(flow.api(`/boards/${id}/lists`), { label_id: label.id })
      columns[name] = `list-${list.id}`
    }
    await flow.make(flow.api('/issues'), { title: 'Card', labels: 'doing' })
  })

  const labels = async () => (await stored('/issues/1')).labels
  const columnOf = (title: string) => `main [data-column=${columns[title]}]`
  const cardIn = (title: string) => `${columnOf(title)} .card`

  test('a card moves by its form', async () => {
    const { page } = flow
    await flow.goto(board)
    await page.click('main .card .move summary')
    const value = await page.$eval('main .card option[data-to^=list]', (option) => option.getAttribute('value') ?? '')
    await page.select('main .card select', value)
    await press(page, 'main .card .move-form button')
    expect(await labels()).toEqual(['review'])
    await page.waitForSelector(cardIn('review'))
  })

  test.runIf(isScripted)('a card is carried to a column', async () => {
    const { page } = flow
    await flow.goto(board)
    const carry = async (to: string) => {
      const [card, column] = [
        await page.waitForSelector('main .card .card-foot'),
        await page.waitForSelector(columnOf(to)),
      ]
      const [from, target] = [await card?.boundingBox(), await column?.boundingBox()]
      if (!from || !target) throw new Error('the board is not shown')
      await page.mouse.move(from.x + 4, from.y + 4)
      await page.mouse.down()
      await page.mouse.move(target.x + target.width / 2, target.y + 40, { steps: 8 })
      await page.mouse.up()
    }
    await carry('Closed')
    await page.waitForSelector(cardIn('Closed'))
    expect(await stored('/issues/1')).toMatchObject({ state: 'closed' })
    await carry('doing')
    await page.waitForSelector(cardIn('doing'))
    expect(await stored('/issues/1')).toMatchObject({ state: 'opened' })
    expect(await labels()).toContain('doing')
    expect(await page.$('.carried')).toBeNull()
  })

  test.runIf(isScripted)(
    'a card is carried by a finger that stays on it, and one that moves at once scrolls',
    async () => {
      const { page } = flow
      await flow.goto(board)
      const touch = async (to: string, isHeld: boolean) => {
        const [card, column] = [await page.waitForSelector(cardIn('doing')), await page.waitForSelector(columnOf(to))]
        const [from, target] = [await card?.boundingBox(), await column?.boundingBox()]
        if (!from || !target) throw new Error('the board is not shown')
        const finger = await page.touchscreen.touchStart(from.x + 4, from.y + 4)
        if (isHeld) await page.waitForSelector('.carried')
        for (const part of [0.2, 0.5, 1]) {
          const [x, y] = [target.x + target.width / 2, target.y + 40]
          await finger.move(from.x + (x - from.x) * part, from.y + (y - from.y) * part)
        }
        await finger.end()
      }
      await touch('review', false)
      expect(await page.$('.carried, .dragged')).toBeNull()
      expect(await labels()).toContain('doing')
      await touch('review', true)
      await page.waitForSelector(cardIn('review'))
      expect(await labels()).toEqual(expect.arrayContaining(['review']))
      expect(await page.$('.carried, .dragged')).toBeNull()
    },
  )

  test.runIf(isScripted)('a card at the edge of a small screen scrolls to the other columns', async () => {
    const { page } = flow
    const usual = page.viewport()
    await page.setViewport({ width: 380, height: 420 })
    await flow.goto(board)
    const { x, y } = await page.$eval('main .card', (card) => {
      card.scrollIntoView({ block: 'center' })
      const { x, y } = card.getBoundingClientRect()
      return { x, y }
    })
    const before = Number(await page.evaluate('scrollY'))
    const finger = await page.touchscreen.touchStart(x + 4, y + 4)
    await page.waitForSelector('.carried')
    await finger.move(x + 20, 5)
    await page.waitForFunction(`scrollY < ${before}`)
    await finger.move(x + 20, 415)
    await page.waitForFunction(`scrollY > ${before}`)
    await page.keyboard.press('Escape')
    await finger.end()
    expect(await page.$('.carried, .dragged')).toBeNull()
    await page.setViewport(usual)
  })

  test.runIf(isScripted)('a card moves by keys, and keeps the focus', async () => {
    const { page } = flow
    await flow.make(flow.api('/issues'), { title: 'Second' })
    await flow.goto(board)
    await page.focus(`${cardIn('Open')} a`)
    await page.keyboard.down('Shift')
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector(`${columnOf('doing')} .card a:focus`)
    await page.keyboard.up('Shift')
    expect((await stored('/issues/2')).labels).toEqual(['doing'])
    expect(await page.$eval('#board-status', ({ textContent }) => textContent)).toBe('Moved to doing')
  })
})
