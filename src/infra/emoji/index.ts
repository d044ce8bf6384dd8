/** Short names of emoji that users can choose (contract 16, "Operations: reactions"; contract 20, Status). */
const names = new Set(
  `
  100 1234 8ball a ab abc abcd accept aerial_tramway airplane alarm_clock alien ambulance anchor angel anger angry
  anguished ant apple aquarius aries arrow_backward arrow_down arrow_forward arrow_left arrow_right arrow_up art
  astonished athletic_shoe atm avocado b baby baby_bottle baby_chick bacon ballot_box_with_check balloon bamboo banana
  bangbang bank bar_chart barber baseball basketball bat bath battery bear bee beer beers beetle beginner bell bento
  bicyclist bike bikini bird birthday black_circle black_heart black_joker black_large_square blossom blowfish blue_book
  blue_car blue_heart blush boar boat bomb book bookmark books boom boot bouquet bow bowling boy bread bridge_at_night
  briefcase broken_heart brown_heart bug bulb burrito bus busstop butterfly cactus cake calendar call_me calling camel
  camera cancer candle candy capital_abcd capricorn car card_index carrot cat cat2 cd champagne chart checkered_flag
  cheese cherries cherry_blossom chestnut chicken children_crossing chocolate_bar christmas_tree church cinema
  circus_tent city_sunset clap clapper clipboard clock closed_book cloud clown clubs cocktail coffee cold_sweat
  collision computer confetti_ball confounded confused congratulations construction construction_worker
  convenience_store cookie cool cop copyright corn couple cow cow2 cowboy crab credit_card cricket crocodile croissant
  crossed_fingers crown cry crying_cat_face crystal_ball cucumber cupid curly_loop currency_exchange curry custard
  cyclone dagger dancer dancers dango dart dash date deciduous_tree deer department_store diamonds disappointed
  disappointed_relieved dizzy dizzy_face dog dog2 dollar dolls dolphin door doughnut dove dragon dragon_face dress
  dromedary_camel drooling_face droplet drum duck dvd eagle ear ear_of_rice earth_africa earth_americas earth_asia egg
  eggplant eight electric_plug elephant email end envelope euro evergreen_tree exclamation expressionless eye
  eyeglasses eyes face_palm facepunch factory fallen_leaf family fast_forward fax fearful feet ferris_wheel file_folder
  fingers_crossed fire fire_engine fireworks fish fish_cake fishing_pole_and_fish fist five flags flashlight
  flower_playing_cards flushed foggy football footprints fork_and_knife fountain four four_leaf_clover fox free
  fried_shrimp fries frog frowning fuelpump full_moon game_die gear gem gemini ghost gift gift_heart girl
  globe_with_meridians goat golf gorilla grapes green_apple green_book green_heart grey_exclamation grey_question
  grimacing grin grinning guardsman guitar gun haircut hamburger hammer hamster hand handbag handshake hash
  hatched_chick hatching_chick headphones hear_no_evil heart heart_decoration heart_eyes heart_eyes_cat heartbeat
  heartpulse hearts heavy_check_mark heavy_division_sign heavy_dollar_sign heavy_minus_sign heavy_multiplication_x
  heavy_plus_sign helicopter herb hibiscus high_brightness high_heel hockey honey_pot horse horse_racing hospital
  hotdog hotel hotsprings hourglass hourglass_flowing_sand house house_with_garden hugging hushed ice_cream icecream id
  imp inbox_tray incoming_envelope information_source innocent interrobang iphone jack_o_lantern japan japanese_castle
  jeans joy joy_cat joystick key keyboard kimono kiss kissing kissing_closed_eyes kissing_heart kiwi koala koko label
  lantern last_quarter_moon laughing leaves ledger left_right_arrow lemon leo leopard level_slider libra light_rail
  link lion lips lipstick lizard lock lock_with_ink_pen lollipop loop loud_sound loudspeaker love_hotel love_letter
  low_brightness lying_face magnet mahjong mailbox man mans_shoe map maple_leaf mask meat_on_bone medal mega melon memo
  mens metal metro microphone microscope middle_finger milk milky_way minibus minidisc mobile_phone_off money_mouth
  money_with_wings moneybag monkey monkey_face monorail moon mortar_board mount_fuji mountain_bicyclist mouse mouse2
  movie_camera moyai muscle mushroom musical_keyboard musical_note musical_score mute nail_care name_badge
  nauseated_face necktie nerd neutral_face new new_moon newspaper night_with_stars nine no_bell no_bicycles no_entry
  no_entry_sign no_good no_mobile_phones no_mouth no_pedestrians no_smoking non-potable_water nose notebook notes
  nut_and_bolt o o2 ocean octagonal_sign octopus oden office ok ok_hand ok_woman older_man older_woman on oncoming_bus
  one open_file_folder open_hands open_mouth ophiuchus orange_book orange_heart outbox_tray owl ox package
  page_facing_up page_with_curl pager palm_tree pancakes panda_face paperclip parking part_alternation_mark
  partly_sunny passport_control peace peach peanuts pear pencil pencil2 penguin pensive performing_arts persevere
  person_frowning pig pig2 pig_nose pill pineapple pisces pizza point_down point_left point_right point_up point_up_2
  police_car poodle poop popcorn post_office postal_horn postbox potable_water potato pouch poultry_leg pound
  pouting_cat pray princess printer punch purple_heart purse pushpin put_litter_in_its_place question rabbit rabbit2
  racehorse racing_car radio radio_button rage railway_car rainbow raised_hand raised_hands ram ramen rat recycle
  red_car red_circle registered relaxed relieved repeat restroom revolving_hearts rewind rhino ribbon rice rice_ball
  rice_cracker rice_scene ring robot rocket rofl roller_coaster rolling_eyes rooster rose rosette rotating_light
  round_pushpin rowboat rugby_football runner running_shirt_with_sash sagittarius sailboat sake salad sandal santa
  satellite satisfied saxophone scales school school_satchel scissors scooter scorpion scorpius scream scream_cat
  scroll seat secret see_no_evil seedling selfie seven shark shaved_ice sheep shell shield ship shirt shopping_cart
  shower shrimp shrug signal_strength six six_pointed_star ski skull sleeping sleepy slight_frown slight_smile
  slot_machine smile smile_cat smiley smiley_cat smiling_imp smirk smirk_cat smoking snail snake sneezing_face
  snowboarder snowflake snowman sob soccer soon sos sound space_invader spades spaghetti sparkle sparkler sparkles
  sparkling_heart speak_no_evil speaker speech_balloon speedboat spider spoon squid stadium star star2 stars station
  statue_of_liberty steam_locomotive stew stopwatch straight_ruler strawberry stuck_out_tongue
  stuck_out_tongue_closed_eyes stuck_out_tongue_winking_eye sun_with_face sunflower sunglasses sunny sunrise surfer
  sushi suspension_railway sweat sweat_drops sweat_smile sweet_potato swimmer symbols syringe taco tada tanabata_tree
  tangerine taurus taxi tea telephone telephone_receiver telescope tennis tent thermometer thermometer_face thinking
  thought_balloon three thumbsdown thumbsup ticket tiger tiger2 timer tired_face tm toilet tokyo_tower tomato tongue
  tools top tophat tractor traffic_light train train2 tram triangular_flag_on_post triangular_ruler trident triumph
  trolleybus trophy tropical_drink tropical_fish truck trumpet tulip tumbler_glass turkey turtle tv
  twisted_rightwards_arrows two two_hearts umbrella unamused underage unicorn unlock up upside_down v
  vertical_traffic_light vhs vibration_mode video_camera video_game violin virgo volcano volleyball vs vulcan walking
  waning_crescent_moon warning wastebasket watch water_buffalo watermelon wave wavy_dash waxing_crescent_moon wc weary
  wedding whale whale2 wheel_of_dharma wheelchair whisky white_check_mark white_circle white_flower white_heart
  white_large_square wilted_rose wind_chime wine_glass wink wolf woman womans_clothes womans_hat womens worried wrench
  writing_hand x yellow_heart yen yum zap zero zipper_mouth zzz
  `
    .trim()
    .split(/\s+/),
)

const aliases: Readonly<Record<string, string>> = { '+1': 'thumbsup', '-1': 'thumbsdown' }

/** The stored name of an emoji; null for an unknown one. */
export function emojiName(name: string): string | null {
  const stored = Object.hasOwn(aliases, name) ? (aliases[name] as string) : name
  return names.has(stored) ? stored : null
}
