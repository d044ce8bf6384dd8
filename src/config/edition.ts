/** Which tier and offering the server stands for (contract 00, "Versioning and switches"). */
export const tiers = ['free', 'premium', 'ultimate'] as const
export type Tier = (typeof tiers)[number]

export const offerings = ['self-managed', 'dedicated', 'hosted'] as const
export type Offering = (typeof offerings)[number]

/** What of the platform is available. */
export type Edition = {
  tier: Tier
  /** Normally one; without a setting the server has what is in any of them. */
  offerings: readonly Offering[]
  /** Whether only functions that FIPS 140 approves are offered. */
  fips: boolean
}

/** Everything that there is. */
export const wholeEdition: Edition = { tier: 'ultimate', offerings, fips: false }

/** Whether an edition has what belongs to a tier. */
export const hasTier = ({ tier }: Edition, needed: Tier): boolean => tiers.indexOf(tier) >= tiers.indexOf(needed)
