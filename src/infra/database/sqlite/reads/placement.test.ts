import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { placements } from './placement.ts'
import { sizes } from './sizes.ts'
import { walkReader } from './walks.ts'

let handle: DatabaseSync

beforeEach(() => {
  handle = new DatabaseSync(':memory:')
  handle.exec(`
    create table owners (id integer primary key, name text);
    create unique index owners_name on owners (lower(name));
    create table pets (id integer primary key, owner_id integer, kind text);
    create index pets_owner on pets (owner_id);
    create virtual table pets_text using fts5 (kind, content = '', tokenize = 'trigram');
    create virtual table pets_text_terms using fts5vocab (pets_text, 'instance')`)
})
afterEach(() => handle.close())

describe('what a statement walks through', () => {
  test.each([
    ['select * from owners where id = ?', true, []],
    ['select * from owners o where lower(o.name) = ?', true, []],
    ['select * from pets p where p.owner_id = ?', false, ['pets']],
    ['select * from pets p join owners o on o.id = p.owner_id order by o.name', false, ['pets']],
    ['select count(*) from owners x', false, ['owners']],
    ['select * from pets where id in (select value from json_each(?))', false, []],
    ['select rowid from pets_text where pets_text match ? limit 5', false, ['pets_text_docsize']],
    ['select doc from pets_text_terms where term = ?', false, ['pets_text_docsize']],
    ['explain query plan select * from pets', true, []],
    ['with recursive n (i) as (select 1 union all select i + 1 from n) select i from n limit 3', false, []],
  ])('%s', (text, isPoint, tables) => {
    expect(walkReader(handle)(text)).toEqual({ isPoint, tables })
  })

  test('a table is large from 2,000 rows on', () => {
    const { isLarge, isSmall } = sizes(handle)
    const fill = (count: number) =>
      handle.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
        insert into pets (kind) select 'cat' from n`)
    expect([isLarge('pets'), isSmall()]).toEqual([false, true])
    fill(1_999)
    expect(isLarge('pets')).toBe(false)
    fill(1)
    expect(isLarge('pets')).toBe(true)
    expect(sizes(handle, 10_000).isSmall()).toBe(false)
  })
})

describe('where a statement runs', () => {
  const large = { isSmall: () => false, isLarge: (table: string) => table === 'pets' }
  const facts = (changed: object = {}) => ({ ...large, walkOf: walkReader(handle), ...changed })
  const walking = 'select * from pets where owner_id = ?'

  test('a walk through a large table starts in a thread, and comes back after twenty quick runs', () => {
    const decide = placements(facts())
    const placement = decide.first(walking)
    expect(placement.inThread).toBe(true)
    for (let run = 0; run < 19; run += 1) decide.ranInThread(placement, 0.1)
    decide.ranInThread(placement, 3)
    for (let run = 0; run < 19; run += 1) decide.ranInThread(placement, 0.1)
    expect(placement.inThread).toBe(true)
    decide.ranInThread(placement, 0.1)
    expect(placement.inThread).toBe(false)
  })

  test('after each long run here it needs ten times as many', () => {
    const decide = placements(facts())
    const placement = decide.first(walking)
    const needed: number[] = []
    for (let round = 0; round < 5; round += 1) {
      let runs = 0
      for (; placement.inThread; runs += 1) decide.ranInThread(placement, 0.1)
      needed.push(runs)
      decide.ranHere(placement, 40)
      expect([placement.inThread, placement.isSlow]).toEqual([true, true])
    }
    expect(needed).toEqual([20, 200, 2_000, 20_000, 20_000])
  })

  test('point reads stay, and so does everything in a small database until it takes very long', () => {
    const decide = placements(facts())
    const point = decide.first('select * from owners where id = ?')
    decide.ranHere(point, 1_000)
    expect(point.inThread).toBe(false)
    const inSmall = placements(facts({ isSmall: () => true, isLarge: () => false }))
    const placement = inSmall.first(walking)
    inSmall.ranHere(placement, 49)
    expect(placement.inThread).toBe(false)
    inSmall.ranHere(placement, 51)
    expect(placement.inThread).toBe(true)
  })
})
