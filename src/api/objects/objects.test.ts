import { describe, expect, test } from 'vitest'
import { availabilityOf } from '../operation/availability.ts'
import { forms, nullable, oneOf } from '../operation/results.ts'
import { type Static, Type } from '../operation/schema.ts'
import { computed, fact, from } from './field.ts'
import { nested, object } from './object.ts'
import { of } from './source.ts'

type Song = {
  id: number
  title: string
  length: number | null
  genre: 'folk' | 'jazz'
  album: { id: number; name: string } | null
  artist: { name: string }
  tags: string[]
  created_at: string
}
type SongView = { url: string; isAdministrator?: boolean }

const text = Type.String()
const song: Song = {
  id: 1,
  title: 'Blue',
  length: null,
  genre: 'jazz',
  album: null,
  artist: { name: 'Miles' },
  tags: ['cool'],
  created_at: '2026-01-02T03:04:05.678Z',
}

describe('each kind of field', () => {
  const songs = of<Song, SongView>()
  const Tag = object('Tag', of<string>(), { name: computed(text, (tag) => tag) })
  const Short = object('Short', of<Song>(), { id: forms.id, name: from(text, 'title') })
  const Whole = object('Whole', songs, {
    ...Short.fields,
    length: forms.nullableInteger,
    genre: oneOf(['folk', 'jazz']),
    created_at: forms.timestamp,
    artist_name: from(Type.String({ description: 'The first one.' }), 'artist', 'name'),
    web_url: computed(text, ({ id }, { url }) => `${url}/${id}`),
    album_id: computed(nullable(forms.id), ({ album }) => album?.id ?? null),
    minutes: computed(Type.Optional(Type.Integer()), ({ length }) => length ?? undefined),
    tags: computed(Type.Array(Tag), ({ tags }) => tags.map((tag) => Tag.present(tag))),
    _links: nested({
      id: forms.id,
      self: computed(text, ({ id }, { url }) => `${url}/api/${id}`),
      ...songs.ifRow(({ album }) => album !== null, { album: computed(text, ({ album }) => String(album?.name)) }),
    }),
  })

  test('has the schema that was written by hand before', () => {
    expect(Whole).toEqual(
      Type.Object(
        {
          id: forms.id,
          name: text,
          length: forms.nullableInteger,
          genre: oneOf(['folk', 'jazz']),
          created_at: forms.timestamp,
          artist_name: Type.String({ description: 'The first one.' }),
          web_url: text,
          album_id: nullable(forms.id),
          minutes: Type.Optional(Type.Integer()),
          tags: Type.Array(Type.Object({ name: text }, { title: 'Tag' })),
          _links: Type.Object({ id: forms.id, self: text, album: Type.Optional(text) }),
        },
        { title: 'Whole' },
      ),
    )
    expect((Whole as unknown as { required: string[] }).required).not.toContain('minutes')
  })

  test('presents a row, its members in the order of the fields', () => {
    const presented = Whole.present(song, { url: 'http://songs' })
    expect(JSON.stringify(presented)).toBe(
      '{"id":1,"name":"Blue","length":null,"genre":"jazz","created_at":"2026-01-02T03:04:05.678Z","artist_name":"Miles",' +
        '"web_url":"http://songs/1","album_id":null,"tags":[{"name":"cool"}],"_links":{"id":1,"self":"http://songs/api/1"}}',
    )
    const other = Whole.present({ ...song, length: 3, album: { id: 7, name: 'Kind' } }, { url: '' })
    expect(other).toMatchObject({ minutes: 3, album_id: 7, _links: { album: 'Kind' } })
  })

  test('has a type', () => {
    const presented: Static<typeof Short> = { id: 1, name: 'x' }
    const genre: 'folk' | 'jazz' = Whole.present(song, { url: '' }).genre
    const minutes: number | undefined = Whole.present(song, { url: '' }).minutes
    // @ts-expect-error the field is not required
    const required: number = Whole.present(song, { url: '' }).minutes
    // @ts-expect-error a field is missing
    const incomplete: Static<typeof Short> = { id: 1 }
    // @ts-expect-error without a view there are no addresses
    expect(() => Whole.present(song)).toThrow()
    expect([presented, genre, minutes, required, incomplete]).toHaveLength(5)
  })

  test('is a schema like others: what is made of it has no functions', () => {
    expect(JSON.parse(JSON.stringify(Short))).toEqual({
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      title: 'Short',
    })
    expect(Object.keys(nullable(Short)).sort()).toEqual(Object.keys(Short).sort())
    expect({ ...Short }).not.toHaveProperty('present')
  })
})

describe('conditions', () => {
  const songs = of<Song, SongView>()
  const Song = object('Song', songs, {
    id: forms.id,
    ...songs.ifRow((row) => row.genre === 'jazz', { title: text, length: forms.nullableInteger }),
    ...songs.ifView(({ isAdministrator }) => isAdministrator === true, {
      created_at: forms.timestamp,
      ...songs.ifRow(({ id }) => id > 1, { secret: computed(text, () => 'yes') }),
    }),
    ...songs.ifEdition({ tier: 'premium' }, { tags: forms.strings }),
  })

  test('fields with a condition are optional, those of editions are not', () => {
    expect((Song as unknown as { required: string[] }).required).toEqual(['id', 'tags'])
    expect(availabilityOf(Song.properties.tags)).toEqual({ tier: 'premium' })
    expect(availabilityOf(Song.properties.title)).toBeUndefined()
  })

  test.each([
    [{}, {}, { id: 1, title: 'Blue', length: null, tags: ['cool'] }],
    [{ genre: 'folk' }, {}, { id: 1, tags: ['cool'] }],
    [{ genre: 'folk' }, { isAdministrator: true }, { id: 1, created_at: song.created_at, tags: ['cool'] }],
    [
      { genre: 'folk', id: 2 },
      { isAdministrator: true },
      { id: 2, created_at: song.created_at, secret: 'yes', tags: ['cool'] },
    ],
    [{ genre: 'folk', id: 2 }, {}, { id: 2, tags: ['cool'] }],
  ] as const)('a row with %j in a view with %j', (row, view, expected) => {
    expect(Song.present({ ...song, ...row }, { url: '', ...view })).toEqual(expected)
  })

  test('a condition of several fields is evaluated once for a row', () => {
    let count = 0
    const counted = songs.ifRow(() => ++count > 0, { title: text, length: forms.nullableInteger })
    object('Counted', songs, counted).present(song, { url: '' })
    expect(count).toBe(1)
  })
})

describe('facts', () => {
  const loaded: string[] = []
  const songs = of<Song, SongView>().facts({
    plays: async (rows, { url }) => {
      loaded.push(`plays of ${rows.length} at ${url}`)
      return new Map(rows.map(({ id }) => [id, id * 10]))
    },
    likes: (rows) => {
      loaded.push('likes')
      return rows.length
    },
    unused: () => {
      throw new Error('no field takes it')
    },
  })
  const Counted = object('Counted', songs, {
    id: forms.id,
    plays: fact(Type.Integer(), 'plays', ({ id }, { plays }) => plays.get(id) ?? 0),
    inner: nested({
      plays: fact(Type.Integer(), 'plays', ({ id }, { plays, url }) => (plays.get(id) ?? 0) + url.length),
    }),
    ...songs.ifView(({ isAdministrator }) => isAdministrator === true, {
      both: fact(Type.Integer(), ['plays', 'likes'], ({ id }, { plays, likes }) => (plays.get(id) ?? 0) + likes),
    }),
  })

  test('each is loaded once for all rows', async () => {
    loaded.length = 0
    const rows = [song, { ...song, id: 2 }]
    expect(await Counted.presentAll(rows, { url: 'u' })).toEqual([
      { id: 1, plays: 10, inner: { plays: 11 } },
      { id: 2, plays: 20, inner: { plays: 21 } },
    ])
    expect(loaded).toEqual(['plays of 2 at u'])
  })

  test('only those are loaded that a shown field takes', async () => {
    loaded.length = 0
    expect(await Counted.presentOne(song, { url: '', isAdministrator: true })).toMatchObject({ both: 11 })
    expect(loaded).toEqual(['plays of 1 at ', 'likes'])
    loaded.length = 0
    expect(await Counted.presentAll([], { url: '' })).toEqual([])
    expect(loaded).toEqual([])
  })

  test('rows may be presented one by one with facts that are loaded', async () => {
    const view = await Counted.load([song], { url: '' })
    expect(Counted.present(song, view)).toEqual({ id: 1, plays: 10, inner: { plays: 10 } })
  })

  test('a fact that fails fails the answer', async () => {
    const failing = of<Song>().facts({ broken: () => Promise.reject(new Error('broken')) })
    const Broken = object('Broken', failing, { one: fact(text, 'broken', (_, { broken }) => broken) })
    await expect(Broken.presentAll([song])).rejects.toThrow('broken')
  })
})

describe('hostile values', () => {
  test('names and members are no code', () => {
    const name = `"]: 0 }; throw new Error('ran'); //\u2028\${1}\``
    const Odd = object('Odd', of<Record<typeof name, string>>(), { [name]: text, other: from(text, name) })
    expect(Odd.present({ [name]: 'value' })).toEqual({ [name]: 'value', other: 'value' })
  })

  test('a field may have any name', () => {
    const Odd = object('Odd', of<{ value: string }>(), {
      ['__proto__' as string]: computed(text, ({ value }) => value),
      constructor: computed(text, ({ value }) => value),
      toString: computed(text, ({ value }) => value),
    })
    const presented = Odd.present({ value: 'x' })
    expect(Object.keys(presented)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(presented)).toBe(Object.prototype)
  })

  test('values are passed as they are, and members of the row that are no fields are not shown', () => {
    const Text = object('Text', of<{ text: string; password: string }>(), { text })
    for (const value of ['"', '\\', '`', '</script>', '\u0000', '\ud800', '__proto__', 'x'.repeat(100_000)]) {
      const presented = Text.present({ text: value, password: 'secret' })
      expect(presented.text).toBe(value)
      expect(Object.keys(presented)).toEqual(['text'])
    }
  })
})

test('the compiler finds declarations that are wrong', () => {
  const songs = of<Song, SongView>().facts({ plays: () => 1, likes: () => 2 })
  const Wrong = object('Wrong', songs, {
    // @ts-expect-error the row has no such member
    name: text,
    // @ts-expect-error the member has another type
    length: text,
    // @ts-expect-error the row has no such member
    one: from(text, 'name'),
    // @ts-expect-error the member has another type
    two: from(Type.Integer(), 'title'),
    // @ts-expect-error the member of the member has another type
    three: from(Type.Integer(), 'artist', 'name'),
    // @ts-expect-error the value has another type
    four: computed(text, ({ id }) => id),
    // @ts-expect-error only an optional value may be undefined
    five: computed(Type.Integer(), ({ length }) => length ?? undefined),
    // @ts-expect-error the view has no such member
    six: computed(text, (_, { host }) => host),
    // @ts-expect-error a fact has to be named
    seven: computed(Type.Integer(), (_, { plays }) => plays),
    // @ts-expect-error another fact was named
    eight: fact(Type.Integer(), 'likes', (_, { plays }) => plays),
    // @ts-expect-error there is no such fact
    nine: fact(Type.Integer(), 'skips', () => 1),
    inner: nested({
      // @ts-expect-error the row has no such member
      name: text,
    }),
    ...songs.ifRow(() => true, {
      // @ts-expect-error the member has another type
      id: text,
    }),
    ...songs.ifEdition(
      { tier: 'ultimate' },
      {
        // @ts-expect-error the value has another type
        ten: computed(text, ({ id }) => id),
      },
    ),
  })
  // @ts-expect-error a condition of the whole answer knows no row
  songs.ifView(({ id }) => id > 1, { id: forms.id })
  expect(Object.keys(Wrong.properties)).toHaveLength(14)
})
