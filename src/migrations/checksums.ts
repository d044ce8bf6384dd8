/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: 'edcb79928898edb82f64ee4e87330fe8c347e112331e32c0a5a03c77d9be159a',
    postgres: 'fac9519001e4b12ca02d8c7692cefce11e1c2cbdfe16ed3bbb55ae8a91eed86d',
  },
} as const
