// Formulas of social talk: greetings, thanks, apologies and backchannels as grammars and phrase books of both languages
// list them. Left out on purpose is what may answer a question with content: "morning", "tomorrow", "both", 早, 中, 成.
#include "text/small_talk_words.h"

#include <string_view>

namespace weft {
namespace {

constexpr std::string_view kGreetings =
    "hi|hello|hey|hiya|howdy|yo|hey hey|greetings|good morning|good afternoon|good evening|good day|hi there|hello "
    "there|"
    "hey there|hi again|hello again|welcome|welcome back|good night|goodnight|sleep well|sleep tight|sweet dreams|bye|"
    "bye bye|bye for now|goodbye|good bye|farewell|see you|see ya|cya|see you later|see you soon|see you around|"
    "see you then|see you there|see you next time|take care|cheers|ciao|so long|talk later|talk soon|talk to you later|"
    "talk to you soon|talk to you then|ttyl|catch you later|catch up later|chat later|chat soon|speak soon|later|"
    "until next time|till next time|got to go|i have got to go|i got to go|i have to go|i have to run|have to run|brb|"
    "be right back|keep in touch|stay in touch|let us keep in touch|stay safe|stay well|take it easy|"
    "thanks|thank you|thank u|thank you so much|thank you very much|thank you so very much|thanks so much|thanks a lot|"
    "thanks a million|thanks a bunch|thanks a ton|many thanks|big thanks|thx|thnx|tnx|ty|tysm|much appreciated|"
    "appreciated|appreciate it|i appreciate it|i really appreciate it|i appreciate that|i really appreciate that|"
    "i appreciate your help|i appreciate your support|i appreciate you|"
    "thank you for your help|thank you for your time|thank you for your support|thank you for asking|"
    "thank you for sharing|thank you for everything|thank you for the help|thank you for the info|"
    "thank you for the information|thank you for the update|thank you for letting me know|thank you for listening|"
    "thank you for understanding|thank you for your patience|thank you for the support|thank you for being there|"
    "thanks for your help|thanks for your time|thanks for your support|thanks for asking|thanks for sharing|"
    "thanks for everything|thanks for the help|thanks for helping|thanks for the info|thanks for the information|"
    "thanks for the update|thanks for letting me know|thanks for listening|thanks for understanding|"
    "thanks for your patience|thanks for the support|thanks for being there|thanks for the reply|thanks in advance|"
    "thanks again|thank you again|thanks anyway|merry christmas|happy new year|happy holidays|congratulations|congrats|"
    "well done|good job|great job|nice job|nice work|great work|good work|sorry|so sorry|i am sorry|i am so sorry|"
    "sorry about that|sorry for the delay|sorry for the late reply|my apologies|apologies|i apologize|pardon|pardon me|"
    "excuse me|you are welcome|you are very welcome|you are most welcome|no problem|no worries|no problem at all|"
    "my pleasure|it is my pleasure|the pleasure is mine|anytime|any time|good luck|best of luck|best wishes|"
    "best regards|kind regards|warm regards|regards|all the best|sincerely|have fun|"
    "have a nice day|have a good day|have a great day|have a lovely day|have a wonderful day|have a good one|"
    "have a nice weekend|have a good weekend|have a great weekend|have a good evening|have a nice evening|"
    "have a great evening|have a good night|enjoy your day|enjoy your weekend|you too|same to you|"
    "nice to meet you|nice to meet you too|nice to see you|good to see you|great to see you|so good to see you|"
    "good to see you too|great to hear from you|good to hear from you|nice to hear from you|lovely to hear from you|"
    "glad to hear from you|long time no see|long time no talk|pleased to meet you|nice meeting you|nice talking to you|"
    "nice chatting with you|great talking to you|great chatting with you|it was nice talking to you|"
    "it was great talking to you|good talking to you|good chat|"
    "how are you|how are you doing|how are you today|how are you doing today|how is it going|how are things|"
    "how are things going|how have you been|how do you do|how is everything|how is everything going|what is up|"
    "how is life|hope you are well|hope you are doing well|i hope you are well|i hope you are doing well|"
    "hope all is well|i hope all is well|hope this helps|i hope this helps|hope that helps|i hope that helps|"
    "你好|您好|你们好|大家好|各位好|哈喽|哈罗|嗨|嗨喽|早啊|早呀|早上好|上午好|中午好|下午好|晚上好|早安|午安|晚安|"
    "好久不见|"
    "很高兴认识你|很高兴认识您|认识你很高兴|很高兴见到你|很高兴见到您|幸会|久仰|欢迎|欢迎光临|欢迎回来|吃了吗|吃了没|"
    "最近怎么样|最近好吗|最近还好吗|你好吗|您好吗|近来可好|再见|再会|拜拜|拜|回见|回头见|回头聊|改天聊|改天见|下次聊|"
    "下次见|"
    "待会见|待会聊|待会儿见|一会儿见|一会见|慢走|走好|保重|多保重|一路顺风|一路平安|祝你好运|祝您生活愉快|祝你生活愉快|"
    "祝您愉快|"
    "祝你愉快|新年快乐|春节快乐|节日快乐|周末愉快|新年好|过年好|恭喜|恭喜恭喜|恭喜发财|恭喜你|恭喜您|祝贺|祝贺你|加油|"
    "先这样|就这样|那就这样|先聊到这|先聊到这里|今天就到这|先不聊了|我先走了|先走了|先下了|去忙吧|你忙吧|您忙吧|先忙吧|"
    "不打扰了|打扰了|打扰一下|谢谢|谢谢你|谢谢您|谢谢你们|谢谢大家|多谢|感谢|感谢你|感谢您|感谢大家|谢了|感激不尽|"
    "谢谢你的帮助|谢谢您的帮助|感谢你的帮助|感谢您的帮助|谢谢帮忙|谢谢你的帮忙|谢谢分享|感谢分享|谢谢你的分享|谢谢提醒|"
    "谢谢夸奖|"
    "谢谢你的建议|谢谢您的建议|谢谢告知|感谢告知|谢谢关心|谢谢你的关心|谢谢支持|感谢支持|谢谢理解|感谢理解|"
    "感谢您的耐心|"
    "谢谢推荐|谢谢你的推荐|感谢推荐|感谢你的推荐|辛苦|辛苦了|辛苦你了|您辛苦了|你辛苦了|大家辛苦了|麻烦你了|麻烦您了|"
    "麻烦了|"
    "不客气|不用谢|不谢|别客气|不用客气|客气了|您客气了|你太客气了|应该的|这是我应该做的|不好意思|抱歉|对不起|很抱歉|"
    "非常抱歉|"
    "请见谅|请原谅|举手之劳|小事|小事一桩|乐意效劳|乐意之至|很高兴能帮到你|很高兴能帮到您|很高兴帮到你|很高兴帮到您|"
    "很高兴为您服务|很高兴为你服务|祝你玩得开心|祝您玩得开心|玩得开心|祝你玩得愉快|祝您玩得愉快|祝您旅途愉快|"
    "祝你旅途愉快";

constexpr std::string_view kAnswers =
    "ok|okay|k|kk|okey|okie|okey dokey|oki|alright|all right|right|right on|sure|sure thing|for sure|of "
    "course|certainly|"
    "definitely|absolutely|indeed|totally|exactly|precisely|correct|true|so true|very true|agreed|agree|i agree|"
    "i totally agree|i completely agree|totally agree|i could not agree more|deal|done|yes|yeah|yep|yup|ya|yea|yah|aye|"
    "yes please|yes of course|please do|go ahead|go on|go for it|carry on|please continue|please go "
    "on|continue|proceed|"
    "next|nvm|never mind|nevermind|no|nope|nah|not really|no thanks|no thank you|not now|not yet|not at all|got it|"
    "gotcha|i got it|got you|i see|i see i see|i understand|understood|understand|noted|roger|roger that|copy "
    "that|copy|"
    "acknowledged|makes sense|that makes sense|it makes sense|makes sense to me|fair enough|point taken|touche|"
    "good to know|good to hear|good to hear that|glad to hear|glad to hear it|glad to hear that|so glad to hear that|"
    "i am glad to hear that|i am glad to hear it|i am so glad to hear that|happy to hear that|happy to hear it|"
    "i am happy to hear that|great to hear|great to hear that|great to hear it|nice to hear|nice to hear that|"
    "sorry to hear that|i am sorry to hear that|so sorry to hear that|i am so sorry to hear that|"
    "sounds like a plan|sounds like fun|works for me|that works|that works for me|fine by me|fine with me|ok with me|"
    "lgtm|sgtm|up to you|as you wish|as you like|your call|i am in|count me in|will do|on it|i am on it|i will|i do|"
    "i did|i know|i know right|i am fine|i am good|i am great|i am ok|i am okay|i am well|i am doing well|"
    "i am doing good|i am doing great|doing well|doing good|doing great|pretty good|not bad|not too bad|"
    "can not complain|and you|how about you|what about you|how about yourself|likewise|same here|same|me too|me "
    "neither|"
    "ditto|that is it|that is all|that is all for now|that will be all|nothing else|i think so|i think so too|i guess|"
    "i guess so|i suppose|i suppose so|i believe so|i hope so|hope so|hopefully|fingers crossed|maybe|perhaps|probably|"
    "possibly|i do not know|do not know|idk|dunno|not sure|i am not sure|no idea|i have no idea|who knows|it depends|"
    "depends|we will see|let us see|let me see|let me think|let me check|let me know|one moment|one moment please|"
    "one second|one sec|just a moment|just a second|just a sec|a moment please|hold on|hang on|wait|wait a minute|"
    "wait a moment|wait a second|give me a second|give me a minute|please wait|my bad|no need to apologize|do not "
    "worry|"
    "do not worry about it|no need to worry|do not mention it|it is ok|it is okay|it is fine|it is alright|"
    "it is all good|all good|that is ok|that is okay|that is fine|that is alright|that is right|that is correct|"
    "that is true|that is so true|so true|it is nothing|happy to help|glad to help|glad i could help|i am happy to "
    "help|"
    "i am glad i could help|i am glad to help|always happy to help|always here to help|i am here to help|"
    "i am here for you|i am always here for you|how can i help|how can i help you|how can i help you today|"
    "how may i help you|how may i help you today|how can i assist you|how can i assist you today|"
    "how may i assist you today|what can i do for you|is there anything else|anything else|"
    "is there anything else i can help you with|is there anything else i can help with|"
    "is there anything else i can do for you|anything else i can help with|let me know if you need anything|"
    "let me know if you need anything else|let me know if you need help|let me know if you need any help|"
    "let me know if you have any questions|let me know if you have any other questions|"
    "if you have any questions let me know|feel free to ask|feel free to ask me anything|feel free to reach out|"
    "just let me know|you bet|you got it|no way|come on|oh come on|really|is that so|are you sure|are you serious|"
    "seriously|for real|you know what|guess what|i mean|you know|so what|what|why|how so|how come|"
    "test|testing|test test|ping|are you there|you there|anyone there|"
    "好|好的|好吧|好呀|好啊|好哒|好滴|好嘞|好咧|好勒|好哦|好哟|行|行吧|行啊|行呀|行的|可以|可以的|可以啊|可以呀|ok的|"
    "没问题|"
    "没毛病|当然|当然可以|当然啦|必须的|是|是的|是啊|是呀|是吧|是吗|是这样|对|对的|对啊|对呀|对对对|没错|正确|确实|"
    "的确|"
    "确实如此|嗯|嗯嗯|嗯呢|恩|恩恩|哦|噢|喔|收到|收到了|了解|了解了|明白|明白了|知道|知道了|我知道了|我明白了|我了解了|"
    "懂|懂了|"
    "我懂了|我懂|清楚了|记住了|记下了|晓得了|看到了|原来如此|原来是这样|原来这样|这样啊|这样子|这样子啊|是这样啊|"
    "有道理|很有道理|"
    "说得对|说得是|说的对|说的是|你说得对|您说得对|你说的对|言之有理|同意|我同意|赞同|我赞同|赞成|支持|我支持|就这么办|"
    "就这么定了|那就这么定了|就这么说定了|说定了|一言为定|不|不是|不是的|不用|不用了|不要|不要了|不了|没有|没|算了|"
    "没什么|没啥|"
    "没事|没事的|没事儿|没关系|不要紧|不碍事|不麻烦|随便|都行|都可以|都好|无所谓|也行|也好|也可以|继续|请继续|继续吧|"
    "接着说|"
    "请讲|请说|你说|您说|说吧|然后|然后呢|下一个|下一步|稍等|请稍等|稍等一下|稍等片刻|请稍候|等一下|等等|等会儿|等一等|"
    "让我想想|让我想一想|我想想|我想一想|让我看看|我看看|怎么说呢|这个|那个|就是说|就是|不知道|我不知道|我也不知道|"
    "不清楚|"
    "不太清楚|不确定|不好说|可能吧|可能|也许|也许吧|大概吧|应该吧|应该是|应该是吧|看情况|看情况吧|再说吧|到时候再说|"
    "再看吧|"
    "希望如此|但愿如此|但愿|我也是|我也觉得|我也这么想|我也这么觉得|我也这样觉得|彼此彼此|你也是|您也是|你呢|您呢|"
    "你觉得呢|"
    "是不是|对不对|对吧|好不好|好吗|可以吗|行吗|真的吗|真的假的|真的|不会吧|是嘛|有吗|有的|有|谁知道呢|没办法|"
    "有什么可以帮您|有什么可以帮你|有什么可以帮您的|有什么可以帮您的吗|有什么可以帮你的吗|有什么可以帮到您|"
    "有什么可以帮到您的吗|有什么可以帮到你的吗|请问有什么可以帮您|请问有什么可以帮您的吗|有什么需要帮忙的吗|"
    "有什么我可以帮忙的吗|"
    "还有什么可以帮您的吗|还有什么可以帮你的吗|还有什么需要吗|还有什么需要帮忙的吗|还需要什么帮助吗|还有其他问题吗|"
    "还有别的问题吗|还有什么问题吗|随时找我|有问题随时找我|有事随时找我|有需要随时找我|有需要再找我|有问题再找我|"
    "有需要随时叫我|"
    "随时为您服务|随时为你服务|竭诚为您服务|在吗|在不在|在么|你在吗|您在吗|有人吗|在的|我在|测试|测试一下";

constexpr std::string_view kPraise =
    "great|good|excellent|awesome|amazing|wonderful|fantastic|fabulous|brilliant|lovely|nice|cool|neat|sweet|super|"
    "superb|terrific|perfect|fine|incredible|impressive|splendid|marvelous|fun|interesting|beautiful|hilarious|funny|"
    "crazy|wild|epic|rad|dope|inspiring|so cool|the best|helpful|very helpful|understandable|"
    "太好了|太好啦|太棒了|太棒啦|真棒|很棒|棒|超棒|真好|挺好|挺好的|很好|非常好|不错|真不错|很不错|挺不错|挺不错的|"
    "完美|厉害|"
    "太厉害了|真厉害|好厉害|牛|太牛了|优秀|太优秀了|给力|好主意|好想法|好办法|妙|绝了|绝|赞|点赞|太赞了|有意思|"
    "真有意思|很有意思|"
    "有趣|很有趣|真有趣|太有趣了|太巧了|真巧|好听|好看|漂亮|精彩|太精彩了";

constexpr std::string_view kFrames =
    "that is|it is|this is|that is such a|what a|how|sounds|that sounds|it sounds|this sounds|looks|that looks|it "
    "looks|"
    "this looks|you are|that is a|that would be|it would be|that was a|such a|that is really|i am|"
    "听起来|听上去|听着|看起来|看上去|那|这|这真是|那真是|真是|你真|您真|你真是|这个|那个";

constexpr std::string_view kNouns =
    "idea|ideas|point|points|question|plan|job|news|work|answer|stuff|choice|one|thing|time|attitude|advice|suggestion|"
    "thought|way to go|surprise|coincidence|story|的主意|的想法|的建议|的选择";

constexpr std::string_view kGlue =
    "oh|ooh|oooh|ah|aah|um|uh|uhm|umm|er|erm|hm|hmm|mm|mmm|mhm|uh huh|mm hmm|eh|huh|well|so|and|but|then|really|very|"
    "so much|much|too|all|again|just|please|pls|plz|quite|pretty|truly|totally|super|absolutely|indeed|anyway|anyways|"
    "wow|whoa|woah|omg|oh my god|oh my gosh|oh my|my god|my goodness|goodness|gosh|yay|woohoo|hooray|hurray|yikes|oops|"
    "ouch|aww|aw|ugh|phew|geez|damn|haha|lol|lmao|lmfao|rofl|xd|jk|tbh|imo|btw|by the way|lil|ha|heh|hee|aha|ahh|ohh|"
    "啊|呀|吧|呢|嘛|哈|啦|呗|哟|喔|噢|诶|欸|唉|哎|哎呀|哎哟|额|呃|了|的|那|就|真|真的|太|很|非常|特别|也|先|吗|么|哇|"
    "哇塞|"
    "哇哦|天哪|天啊|我的天|妈呀|唔|呵|嘿|嘻|哼|切|嘎|咯|哒|滴|嗷|哎哟喂|那么|那好|那行|这|其实|反正|总之|话说|对了";

constexpr std::string_view kAddress =
    "man|bro|dude|buddy|pal|mate|guys|you guys|everyone|everybody|folks|all|friend|my friend|friends|dear|my "
    "dear|honey|"
    "babe|sweetie|darling|sir|madam|boss|girl|sis|mom|mum|dad|there|"
    "亲|亲爱的|大家|各位|朋友|朋友们|同学|同学们|老师|老板|师傅|大哥|大姐|兄弟|先生|女士|宝|宝贝|小伙伴们";

}  // namespace

const PhraseTable& talk_phrases() {
  static const PhraseTable table = [] {
    PhraseTable built;
    const auto add = [&](std::string_view list, TalkPart part) { built.add(list, static_cast<int>(part)); };
    add(kGreetings, TalkPart::kGreeting);
    add(kAnswers, TalkPart::kAnswer);
    add(kPraise, TalkPart::kPraise);
    add(kFrames, TalkPart::kFrame);
    add(kNouns, TalkPart::kNoun);
    add(kGlue, TalkPart::kGlue);
    add(kAddress, TalkPart::kAddress);
    return built;
  }();
  return table;
}

}  // namespace weft
