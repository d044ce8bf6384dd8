import { type Actor, notFound, type PageRequest, pageOfList } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { userById } from '../../users/index.ts'
import { licenseText } from '../instance/kinds.ts'
import { catalogue, type LicenseFacts } from './catalogue.ts'
import { fillPlaceholders } from './fill.ts'
import type { Filling } from './params.ts'

const present = ({ spdx, ...facts }: LicenseFacts, content: string) => ({
  ...facts,
  html_url: `https://spdx.org/licenses/${spdx}.html`,
  content,
})

/** The licences, by key, with the placeholders in their texts (contract 24, x.template_licenses). */
export async function listLicenses(popular: boolean | undefined, page: PageRequest) {
  const chosen = popular ? catalogue.filter((facts) => facts.popular) : catalogue
  const found = pageOfList(chosen, page)
  const texts = await Promise.all(found.items.map(({ key }) => licenseText(key)))
  return { ...found, items: found.items.map((facts, index) => present(facts, texts[index] ?? '')) }
}

/** The licences as entries of a list, by key. */
export const licenseEntries = catalogue.map(({ key, name }) => ({ key, name }))

async function nameOf({ database }: Platform, actor: Actor): Promise<string | undefined> {
  return actor.kind === 'user' ? (await userById(database.read, actor.userId))?.name : undefined
}

/**
 * A licence with its placeholders filled (contract 24, x.template_license).
 * @param key in any case
 * @param noun of the error
 * @throws ApiError 404
 */
export async function getLicense(
  platform: Platform,
  actor: Actor,
  key: string,
  { project, fullname }: Filling,
  noun = 'License',
) {
  const facts = catalogue.find((license) => license.key === key.toLowerCase())
  if (!facts) throw notFound(noun)
  const values = {
    year: String(platform.clock.now().getUTCFullYear()),
    holder: fullname || (await nameOf(platform, actor)),
    project: project || undefined,
  }
  return present(facts, fillPlaceholders(await licenseText(facts.key), values))
}
