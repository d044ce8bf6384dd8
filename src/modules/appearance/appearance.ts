import { isUploadedFile, lengthProblems, notFound, type Raw, refuse } from '../../api/index.ts'
import { acquireLock, now, type Reader } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { type Avatar, avatarCheck, avatarOf, avatarSweep, putAvatar, readAvatar, removeAvatar } from '../users/index.ts'
import { type GivenAppearance, type ImageName, imageNames, textNames } from './params.ts'
import { Appearance, imagePath } from './present.ts'
import * as store from './store.ts'
import type { AppearanceRow } from './tables.ts'

const largestImage = { bytes: 1024 * 1024, shown: '1 MiB' }
const longestText = 1024 * 1024
const longestTitle = 255

/** As the table has them. */
const initial: AppearanceRow = {
  id: 1,
  ...{ title: '', description: '', pwa_name: '', pwa_short_name: '', pwa_description: '' },
  ...{ pwa_icon: null, logo: null, header_logo: null, favicon: null },
  ...{ member_guidelines: '', new_project_guidelines: '', profile_image_guidelines: '' },
  ...{ header_message: '', footer_message: '' },
  ...{ message_background_color: '#E75E40', message_font_color: '#FFFFFF' },
  email_header_and_footer_enabled: false,
  updated_at: '',
}

const appearance = async (db: Reader): Promise<AppearanceRow> => (await store.storedAppearance(db)) ?? initial

/** How the instance looks (contract 25, x.appearance_get). */
export async function getAppearance({ database }: Platform) {
  return Appearance.present(await appearance(database.read))
}

const colorProblems = (text: string | undefined) =>
  text === undefined || /^#(?:[0-9a-f]{3}){1,2}$/i.test(text) ? [] : ['must be a valid color code']

/** @throws ApiError 400 with the problems of all texts that are given */
function requireValid(given: GivenAppearance): void {
  const lengths = textNames.map((name) => {
    return [name, lengthProblems(given[name] ?? '', name === 'title' ? longestTitle : longestText)] as const
  })
  refuse({
    ...Object.fromEntries(lengths),
    message_background_color: colorProblems(given.message_background_color),
    message_font_color: colorProblems(given.message_font_color),
  })
}

/** The images that are given, checked; null for one that is removed. @throws ApiError 400 */
async function readImages(given: GivenAppearance): Promise<Map<ImageName, Avatar | null>> {
  const read = new Map<ImageName, Avatar | null>()
  for (const name of imageNames) {
    const file = given[name]
    if (file === undefined) continue
    const extensions = name === 'favicon' ? ['png', 'ico'] : undefined
    read.set(
      name,
      isUploadedFile(file) ? await readAvatar(file, { field: name, largest: largestImage, extensions }) : null,
    )
  }
  return read
}

/** The columns of what is given, besides the images. */
function columnsOf(given: GivenAppearance) {
  const names = [
    ...textNames,
    'message_background_color',
    'message_font_color',
    'email_header_and_footer_enabled',
  ] as const
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
}

/** Changes what is given (contract 25, x.appearance_update). @throws ApiError 400 */
export async function changeAppearance(platform: Platform, given: GivenAppearance, act: Act) {
  requireValid(given)
  const images = await readImages(given)
  for (const [name, image] of images) {
    if (image) await putAvatar(platform, 'appearance', store.imageNumber(name), image)
  }
  const { before, after } = await platform.database.write(async (tx) => {
    await acquireLock(tx, 'appearance')
    const before = await appearance(tx)
    const named = [...images].map(([name, image]) => [name, image?.name ?? null])
    const changes = { ...columnsOf(given), ...Object.fromEntries(named), updated_at: now(platform.clock) }
    const after = await store.storeAppearance(tx, changes)
    await act(tx)
    return { before, after }
  })
  for (const name of images.keys()) await removeAvatar(platform, 'appearance', store.imageNumber(name), before[name])
  return Appearance.present(after)
}

const isImage = (name: string): name is ImageName => (imageNames as readonly string[]).includes(name)

/** An image at its address on the web (contract 25, Appearance). @throws ApiError 404 */
export async function serveImage(platform: Platform, { image, file }: { image: string; file: string }): Promise<Raw> {
  if (!isImage(image)) throw notFound()
  const row = await appearance(platform.database.read)
  if (imagePath(row, image)?.split('/').at(-1) !== file) throw notFound()
  return avatarOf(platform, 'appearance', { id: store.imageNumber(image), avatar: row[image], visibility: 'public' })
}

/** The lines above and below mails; empty where there are none (contract 25, Appearance). */
export async function mailLines({ database }: Platform): Promise<{ header: string; footer: string }> {
  const row = await appearance(database.read)
  if (!row.email_header_and_footer_enabled) return { header: '', footer: '' }
  return { header: row.header_message, footer: row.footer_message }
}

/** The check that the images are stored. */
export const imageCheck = avatarCheck('appearance', store.storedImages)

/** Removes images that the appearance does not have. */
export const sweepImages = avatarSweep('appearance', store.storedImages)
