import { invalid, notIncluded } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { chooseStorage } from '../projects/index.ts'

/** @throws ApiError 400 for a storage that is not configured */
export function requireStorage({ config }: Platform, name: string | undefined): void {
  if (name === undefined || Object.hasOwn(config.storages, name)) return
  throw invalid({ destination_storage_name: [notIncluded] })
}

/** A storage by weight; the source only if no other one has a weight (contract 10, "Choosing the destination"). */
export async function chooseDestination({ settings, random }: Platform, source: string): Promise<string> {
  const { repository_storages_weighted: weights } = await settings.current()
  const others = Object.entries(weights).filter(([name, weight]) => name !== source && weight > 0)
  return chooseStorage(others.length > 0 ? Object.fromEntries(others) : weights, random())
}
